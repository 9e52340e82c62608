# SPDX-License-Identifier: Apache-2.0
"""Simulated power cuts: the files that a disk may hold after the power fails during a traced run.

The model is stricter than ext4: a file keeps what a sync of this file made durable, and any part of what was
written later. A name that was made, changed or removed is durable after a sync of its folder; without one, the
changes of names survive in their order up to any point.
"""
import os
import pathlib
import random

SECTOR, PAGE = 512, 4096


class File:
    """The content of one file: the durable part and the changes since."""

    def __init__(self, content=b""):
        self.durable = bytearray(content)
        self.pending = []

    @staticmethod
    def apply(content, change):
        kind, offset, data = change
        if kind == "truncate":
            del content[offset:]
            content.extend(bytes(offset - len(content)))
        else:
            content.extend(bytes(max(0, offset - len(content))))
            content[offset:offset + len(data)] = data

    def sync(self):
        for change in self.pending:
            self.apply(self.durable, change)
        self.pending = []

    def after_cut(self, chance):
        """Returns a content that a disk may hold."""
        content = bytearray(self.durable)
        way = chance.choice(("none", "first", "sectors", "pages", "all"))
        kept = chance.randint(0, len(self.pending)) if way == "first" else len(self.pending)
        if way == "none":
            kept = 0
        for change in self.pending[:kept]:
            if way in ("first", "all") or change[0] == "truncate":
                self.apply(content, change)
                continue
            unit = SECTOR if way == "sectors" else PAGE
            for part in self.parts(change, unit):
                if chance.random() < 0.5:
                    self.apply(content, part)
        return bytes(content)

    @staticmethod
    def parts(change, unit):
        kind, offset, data = change
        place = 0
        while place < len(data):
            size = min(unit - (offset + place) % unit, len(data) - place)
            yield kind, offset + place, data[place:place + size]
            place += size


class Disk:
    """The files below one folder, as they were before the run and as the trace changes them."""

    def __init__(self, folder, traced):
        """Reads `folder`; the trace names the same files below `traced`."""
        self.root, self.names, self.folders = str(traced), {}, set()
        for place, folders, files in os.walk(folder):
            relative = os.path.relpath(place, folder)
            self.folders.add(os.path.normpath(os.path.join(self.root, relative)))
            for name in files:
                path = pathlib.Path(place, name)
                if path.is_file() and not name.endswith("-shm"):
                    self.names[os.path.normpath(os.path.join(self.root, relative, name))] = File(path.read_bytes())
        self.durable_names, self.durable_folders = dict(self.names), set(self.folders)
        self.pending = []

    def change_name(self, names, folders, change):
        """Applies one change of a name; a change that was refused has no effect."""
        kind, path, to, file = change
        if kind == "create":
            names[path] = file
        elif kind == "mkdir":
            folders.add(path)
        elif kind == "remove":
            names.pop(path, None)
            folders.discard(path)
        elif kind == "link" and path in names:
            names[to] = names[path]
        elif kind == "rename" and path in names:
            names[to] = names.pop(path)
        elif kind == "rename" and path in folders:
            for each in [name for name in names if name.startswith(path + "/")]:
                names[to + each[len(path):]] = names.pop(each)
            for each in [name for name in folders if name == path or name.startswith(path + "/")]:
                folders.discard(each)
                folders.add(to + each[len(path):])

    def play(self, call):
        kind, offset, path, to, data = call
        if kind == "write" and path in self.names:
            self.names[path].pending.append((kind, offset, data))
        elif kind == "truncate" and path in self.names:
            self.names[path].pending.append((kind, offset, b""))
        elif kind == "sync" and path in self.names:
            self.names[path].sync()
        elif kind == "sync":
            touching = [
                number for number, (_, name, other, _) in enumerate(self.pending)
                if path in (os.path.dirname(name), os.path.dirname(other))]
            done = touching[-1] + 1 if touching else 0
            for change in self.pending[:done]:
                self.change_name(self.durable_names, self.durable_folders, change)
            del self.pending[:done]
        elif kind in ("create", "rename", "remove", "link", "mkdir"):
            change = (kind, path, to, File() if kind == "create" else None)
            self.pending.append(change)
            self.change_name(self.names, self.folders, change)

    def write_cut(self, folder, chance):
        """Writes what may be left into `folder`, which must not exist. Returns the contents by name."""
        names, folders = dict(self.durable_names), set(self.durable_folders)
        for change in self.pending[:chance.randint(0, len(self.pending))]:
            self.change_name(names, folders, change)
        contents = {}
        for place in sorted(folders | {self.root}):
            os.makedirs(folder + place[len(self.root):], mode=0o700)
        for path, file in names.items():
            target = folder + path[len(self.root):]
            contents[path[len(self.root):]] = file.after_cut(chance)
            with open(os.open(target, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as out:
                out.write(contents[path[len(self.root):]])
        return contents


def cut(before, traced, calls, folder, seed):
    """Cuts the power at a random call. Returns the contents of the files and the number of calls before."""
    chance = random.Random(seed)
    disk, number = Disk(before, traced), chance.randint(0, len(calls))
    for call in calls[:number]:
        disk.play(call)
    return disk.write_cut(str(folder), chance), number
