// Reads PNG files: 8 bits a channel, RGB or RGBA, not interlaced.

import { inflateSync } from "node:zlib";

const MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function paeth(left, up, corner) {
  const p = left + up - corner;
  const [a, b, c] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function unfilter(data, height, stride, step) {
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const kind = data[y * (stride + 1)];
    const at = y * (stride + 1) + 1;
    const row = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x >= step ? out[row + x - step] : 0;
      const up = y > 0 ? out[row - stride + x] : 0;
      const corner = x >= step && y > 0 ? out[row - stride + x - step] : 0;
      const guess = [0, left, up, (left + up) >> 1, kind === 4 ? paeth(left, up, corner) : 0][kind];
      out[row + x] = data[at + x] + guess;
    }
  }
  return out;
}

// The picture of a file's bytes: { width, height, channels, data }.
export function readPng(bytes) {
  const file = Buffer.from(bytes);
  if (!file.subarray(0, 8).equals(MAGIC)) throw new Error("no PNG file");
  let head;
  const packed = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const kind = file.toString("latin1", at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") head = { width: body.readUInt32BE(0), height: body.readUInt32BE(4), depth: body[8], color: body[9], lace: body[12] };
    if (kind === "IDAT") packed.push(body);
    at += length + 12;
  }
  if (!head || head.depth !== 8 || ![2, 6].includes(head.color) || head.lace !== 0) throw new Error("a kind of PNG that this does not read");
  const channels = head.color === 2 ? 3 : 4;
  const data = unfilter(inflateSync(Buffer.concat(packed)), head.height, head.width * channels, channels);
  return { width: head.width, height: head.height, channels, data };
}

export function pixel(picture, x, y) {
  const at = (Math.floor(y) * picture.width + Math.floor(x)) * picture.channels;
  return [...picture.data.subarray(at, at + 3)];
}

// The share of the pixels of two pictures of one size that differ by more than `step` in some channel.
export function difference(a, b, step = 24) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let wrong = 0;
  for (let i = 0; i < a.width * a.height; i++) {
    for (let c = 0; c < 3; c++) {
      if (Math.abs(a.data[i * a.channels + c] - b.data[i * b.channels + c]) > step) {
        wrong++;
        break;
      }
    }
  }
  return wrong / (a.width * a.height);
}

// The middle of the pixels of exactly this color, and how many they are; null for none. box: left, top, right, bottom.
export function middleOf(picture, [red, green, blue], box = [0, 0, picture.width, picture.height]) {
  let [x, y, count] = [0, 0, 0];
  for (let row = box[1]; row < box[3]; row++) {
    for (let column = box[0]; column < box[2]; column++) {
      const at = (row * picture.width + column) * picture.channels;
      if (picture.data[at] === red && picture.data[at + 1] === green && picture.data[at + 2] === blue) {
        x += column;
        y += row;
        count++;
      }
    }
  }
  return count > 0 ? { x: x / count + 0.5, y: y / count + 0.5, count } : null;
}
