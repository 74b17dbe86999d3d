// Writes zip files: deflated members with one fixed date, so that the same content gives the same bytes.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";

const UTF8_NAMES = 1 << 11;
const DEFLATED = 8;
const FIRST_OF_JANUARY_1980 = 0x21;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});
const crc32 = (content) => ~content.reduce((crc, byte) => crcTable[(crc ^ byte) & 0xff] ^ (crc >>> 8), -1) >>> 0;

/** Packs `[path, content]` pairs. */
export function zip(members) {
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const [path, content] of members) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 9 });
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    [20, UTF8_NAMES, DEFLATED, 0, FIRST_OF_JANUARY_1980].forEach((value, i) => header.writeUInt16LE(value, 4 + 2 * i));
    [crc32(content), packed.length, content.length].forEach((value, i) => header.writeUInt32LE(value, 14 + 4 * i));
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE((3 << 8) | 20, 4);
    header.copy(entry, 6, 4, 30);
    entry.writeUInt32LE(0o100644 * 0x10000, 38);
    entry.writeUInt32LE(offset, 42);
    parts.push(header, name, packed);
    directory.push(entry, name);
    offset += header.length + name.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  [members.length, members.length].forEach((value, i) => end.writeUInt16LE(value, 8 + 2 * i));
  [size, offset].forEach((value, i) => end.writeUInt32LE(value, 12 + 4 * i));
  return Buffer.concat([...parts, ...directory, end]);
}

/** Returns all files under a folder as `[path, content]` pairs, in order of their paths. */
export function filesIn(folder, prefix = "") {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = prefix ? `${prefix}/${entry.name}` : entry.name;
    return entry.isDirectory() ? filesIn(folder, path) : [[path, readFileSync(join(folder, path))]];
  });
}

export const writeZip = (file, members) => writeFileSync(file, zip(members));
