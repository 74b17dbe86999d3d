// Which locals of a wasm function still matter at a place: those that may be read before they are set again.
import { OP, around } from "./decode.mjs";

/**
 * Notes in each instruction that begins something which locals are `live` before it, and in each frame which are `after` it and which where a branch to it
 * leads (`there`). A loop's beginning depends on its end, so all is gone through until nothing is new.
 */
export function findLive(code, count) {
  const none = new Bits(count);
  for (const one of code) Object.assign(one.frame, { there: none, after: none });
  while (pass(code, none));
}

/** A set of small numbers. */
export class Bits {
  constructor(count) {
    this.words = new Uint32Array((count + 31) >> 5);
  }
  has(bit) {
    return (this.words[bit >> 5] >>> (bit & 31)) & 1;
  }
  add(bit) {
    this.words[bit >> 5] |= 1 << (bit & 31);
  }
  delete(bit) {
    this.words[bit >> 5] &= ~(1 << (bit & 31));
  }
  copy() {
    const other = Object.create(Bits.prototype);
    other.words = this.words.slice();
    return other;
  }
  /** Takes in another set; answers whether it had something new. */
  join(other) {
    let isNew = false;
    this.words.forEach((word, i) => {
      this.words[i] |= other.words[i];
      isNew ||= this.words[i] !== word >>> 0;
    });
    return isNew;
  }
}

/** Goes through all from the end to the beginning; answers whether another time is needed. */
function pass(code, none) {
  let live = none.copy();
  let again = false;
  for (let i = code.length - 1; i >= 0; i--) {
    const one = code[i];
    const { op, value, frame } = one;
    const target = (up) => around(frame, up).there;
    if (op === OP.end) {
      frame.after = live.copy();
      if (frame.op !== OP.loop) frame.there = frame.after;
    } else if (op === OP.else) {
      frame.otherwise = live;
      live = frame.after.copy();
    } else if (op === OP.if) {
      const { otherwise, after } = code[i + 1].frame;
      live.join(otherwise ?? after);
    } else if (op === OP.loop) {
      const inner = code[i + 1].frame;
      const header = inner.there.copy();
      if (header.join(live)) {
        inner.there = header;
        again = true;
      }
    } else if (op === OP.br) live = target(value).copy();
    else if (op === OP.brIf) live.join(target(value));
    else if (op === OP.brTable) {
      live = none.copy();
      for (const label of one.labels) live.join(target(label));
    } else if (op === OP.return || op === OP.unreachable) live = none.copy();
    else if (op === OP.get) live.add(value);
    else if (op === OP.set || op === OP.tee) live.delete(value);
    if (one.begins) one.live = live.copy();
  }
  return again;
}
