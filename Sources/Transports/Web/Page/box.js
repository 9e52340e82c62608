// SPDX-License-Identifier: Apache-2.0
// Sealed boxes of libsodium (crypto_box_seal). The browser provides X25519; BLAKE2b, XSalsa20 and Poly1305 are here,
// as browsers lack them. RFC 7693, RFC 8439 section 2.5, and "Extending the Salsa20 nonce".

const M64 = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDER = [
  "0123456789abcdef", "ea489fd61c02b753",
  "b8c052fdae367194", "7931dcbe265a40f8",
  "905724afe1bc683d", "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a",
  "6fe9b308c2d714a5", "a2847615fb9e3cd0",
];

function littleEndian(bytes) {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function bytesOf(number, count) {
  return Uint8Array.from({ length: count }, (_, i) => Number((number >> BigInt(8 * i)) & 255n));
}

/** BLAKE2b without a key, of at most 128 bytes. */
export function blake2b(input, count) {
  const block = new Uint8Array(128);
  block.set(input);
  const m = Array.from({ length: 16 }, (_, i) => littleEndian(block.subarray(8 * i, 8 * i + 8)));
  const h = [...IV];
  h[0] ^= 0x01010000n ^ BigInt(count);
  const v = [...h, ...IV];
  v[12] ^= BigInt(input.length);
  v[14] ^= M64;
  const turn = (x, bits) => ((x >> BigInt(bits)) | (x << BigInt(64 - bits))) & M64;
  const mix = (a, b, c, d, x, y) => {
    v[a] = (v[a] + v[b] + x) & M64; v[d] = turn(v[d] ^ v[a], 32);
    v[c] = (v[c] + v[d]) & M64; v[b] = turn(v[b] ^ v[c], 24);
    v[a] = (v[a] + v[b] + y) & M64; v[d] = turn(v[d] ^ v[a], 16);
    v[c] = (v[c] + v[d]) & M64; v[b] = turn(v[b] ^ v[c], 63);
  };
  for (let round = 0; round < 12; round++) {
    const word = (i) => m[parseInt(ORDER[round % 10][i], 16)];
    for (let i = 0; i < 4; i++) mix(i, i + 4, i + 8, i + 12, word(2 * i), word(2 * i + 1));
    for (let i = 0; i < 4; i++) {
      mix(i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3),
        word(8 + 2 * i), word(9 + 2 * i));
    }
  }
  const out = h.flatMap((word, i) => [...bytesOf(word ^ v[i] ^ v[i + 8], 8)]);
  return Uint8Array.from(out.slice(0, count));
}

const words = (bytes) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
};
const unwords = (list) => {
  const view = new DataView(new ArrayBuffer(4 * list.length));
  list.forEach((word, i) => view.setUint32(4 * i, word, true));
  return new Uint8Array(view.buffer);
};
const SIGMA = words(new TextEncoder().encode("expand 32-byte k"));
const COLUMNS = [[0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11]];
const ROWS = [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]];

function salsa(key, input, isHashed) {
  const k = words(key), n = words(input);
  const start = [SIGMA[0], ...k.slice(0, 4), SIGMA[1], ...n, SIGMA[2], ...k.slice(4), SIGMA[3]];
  const x = Uint32Array.from(start);
  const turn = (a, bits) => (a << bits) | (a >>> (32 - bits));
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of [...COLUMNS, ...ROWS]) {
      x[b] ^= turn(x[a] + x[d], 7);
      x[c] ^= turn(x[b] + x[a], 9);
      x[d] ^= turn(x[c] + x[b], 13);
      x[a] ^= turn(x[d] + x[c], 18);
    }
  }
  if (isHashed) return unwords([0, 5, 10, 15, 6, 7, 8, 9].map((i) => x[i]));
  return unwords(start.map((word, i) => (word + x[i]) >>> 0));
}

function poly1305(key, message) {
  const prime = (1n << 130n) - 5n;
  const r = littleEndian(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let i = 0; i < message.length; i += 16) {
    const part = message.subarray(i, i + 16);
    sum = ((sum + littleEndian(part) + (1n << BigInt(8 * part.length))) * r) % prime;
  }
  return bytesOf(sum + littleEndian(key.subarray(16, 32)), 16);
}

/** crypto_secretbox: the tag, then the text. */
export function secretbox(message, nonce, key) {
  const own = salsa(key, nonce.subarray(0, 16), true);
  const stream = new Uint8Array(Math.ceil((32 + message.length) / 64) * 64);
  for (let block = 0; 64 * block < stream.length; block++) {
    const input = new Uint8Array(16);
    input.set(nonce.subarray(16));
    new DataView(input.buffer).setUint32(8, block, true);
    stream.set(salsa(own, input, false), 64 * block);
  }
  const text = message.map((byte, i) => byte ^ stream[32 + i]);
  return Uint8Array.from([...poly1305(stream.subarray(0, 32), text), ...text]);
}

/** Seals bytes to an X25519 public key; only the holder of the secret key can open them. */
export async function seal(message, publicKey) {
  const pair = await crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"]);
  const ours = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const theirs = await crypto.subtle.importKey("raw", publicKey, { name: "X25519" }, false, []);
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "X25519", public: theirs }, pair.privateKey, 256));
  const nonce = blake2b(Uint8Array.from([...ours, ...publicKey]), 24);
  const key = salsa(shared, new Uint8Array(16), true);
  const box = secretbox(message, nonce, key);
  shared.fill(0);
  key.fill(0);
  return Uint8Array.from([...ours, ...box]);
}
