// Reads zip files, by the directory at their end.
import { inflateRawSync } from "node:zlib";

const ENTRY = 0x02014b50;

/** The members of a zip file by their paths. */
export function unzipped(content) {
  const members = new Map();
  let at = content.readUInt32LE(content.length - 6);
  while (content.readUInt32LE(at) === ENTRY) {
    const [packed, name, start] = [content.readUInt32LE(at + 20), content.readUInt16LE(at + 28), content.readUInt32LE(at + 42)];
    const from = start + 30 + content.readUInt16LE(start + 26) + content.readUInt16LE(start + 28);
    members.set(content.toString("utf8", at + 46, at + 46 + name), inflateRawSync(content.subarray(from, from + packed)));
    at += 46 + name;
  }
  return members;
}
