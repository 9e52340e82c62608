// SPDX-License-Identifier: Apache-2.0
// Text of clients in visible form, on every page: the rules of VisibleText, which the terminal uses too.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const EMOJI = /\p{Emoji}/u;
// Letters and marks whose shape a joiner changes.
const JOINING = new RegExp(`[${[
  [0x620, 0x65f], [0x66e, 0x6d3], [0x6fa, 0x7ff], [0x8a0, 0x8ff], [0x900, 0xdff], [0x1000, 0x109f],
  [0x1780, 0x17d3], [0x1820, 0x18aa], [0xfb50, 0xfdfb], [0xfe70, 0xfefc],
].map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join("")}]`, "u");
// The flags of England, Scotland and Wales: invisible letters after a black flag.
const FLAGS = /^\u{1f3f4}(?:\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073}))\u{e007f}/u;

const isEmoji = (letter) => letter > "\u007f" && (EMOJI.test(letter) || letter === "\ufe0f");
const joins = (letter) => JOINING.test(letter) && !/\p{Default_Ignorable_Code_Point}/u.test(letter);

/** True if a character would be invisible between two others; "" is a missing neighbour. */
const isHidden = (letter, before, after) => {
  switch (letter) {
    case "\ufe0e": return !isEmoji(before);
    case "\ufe0f": return !isEmoji(before) && !(/^[0-9#*]$/.test(before) && after === "\u20e3");
    case "\u200d": return !(isEmoji(before) && isEmoji(after)) && !joins(before);
    case "\u200c": return !(joins(before) && joins(after));
    default: return HIDDEN.test(letter);
  }
};

/** The text with control, bidirectional and invisible characters written as `\u{...}`; allowed line breaks stay. */
export const visible = (value, hasLines = false) => {
  const text = String(value);
  if (/^[ -~]*$/.test(text)) return text;
  const letters = [...text];
  let shown = "";
  for (let place = 0; place < letters.length; place += 1) {
    const letter = letters[place];
    const [flag] = letter === "\u{1f3f4}" ? FLAGS.exec(letters.slice(place, place + 7).join("")) ?? [] : [];
    if (flag) {
      shown += flag;
      place += [...flag].length - 1;
    } else if (hasLines && (letter === "\n" || letter === "\t")) {
      shown += letter;
    } else if (letter === "\n") {
      shown += "\\n";
    } else if (letter === "\t") {
      shown += "\\t";
    } else if (letter === "\r") {
      shown += "\\r";
    } else if (isHidden(letter, letters[place - 1] ?? "", letters[place + 1] ?? "")) {
      shown += `\\u{${letter.codePointAt(0).toString(16).toUpperCase()}}`;
    } else {
      shown += letter;
    }
  }
  return shown;
};

/** Puts a text into an element. All pages show text through this function only. */
export const put = (element, text, hasLines = false) => {
  element.textContent = visible(text, hasLines);
  return element;
};
