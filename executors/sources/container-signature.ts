import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ProbeFailure } from './probe-failure.ts';

/** The facts in the file itself, before any tool reads it. */
interface ContainerSignature {
  /** Its first bytes are those of a container that the probe accepts. */
  readonly known: boolean;
  /** It is a RIFF file whose writer could not go back to fill in the length, so that every end is a proper end. */
  readonly openEnded: boolean;
  readonly bytes: number;
  /** The length that a WAVE file states, in bytes; null if it states none. */
  readonly statedBytes: number | null;
}

// Three packets of MPEG-TS: enough to tell its sync byte from a chance 0x47.
const FIRST_BYTES = 3 * 188;

// Four-letter box names that begin ISO base media and QuickTime files, at offset 4.
const FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp', 'moof']);

const MAGICS = [
  Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  Buffer.from([0x30, 0x26, 0xb2, 0x75]),
  Buffer.from([0x00, 0x00, 0x01, 0xba]),
  // MXF, DTS and DV
  Buffer.from([0x06, 0x0e, 0x2b, 0x34]),
  Buffer.from([0x7f, 0xfe, 0x80, 0x01]),
  Buffer.from([0x1f, 0x07, 0x00]),
  ...['RIFF', 'RF64', 'OggS', 'fLaC', 'FORM', 'FLV\u0001', 'ID3', 'caff', 'riff', '#!AMR', '.snd', 'wvpk', 'TTA1'].map(
    (text) => Buffer.from(text, 'latin1'),
  ),
];

// Writers to a pipe leave 0, the largest number, or (sox, arecord) one near 2^31 in the length field.
const OPEN_LENGTH = 0x7fff_0000;

// The length field counts what comes after it.
const RIFF_HEADER_BYTES = 8;

/** Reads the first bytes of a regular file. Rejects with `media_unreadable` when there is none that can be opened. */
export async function readSignature(file: string): Promise<ContainerSignature> {
  try {
    // Without O_NONBLOCK the opening of a pipe would wait for a writer for ever.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new ProbeFailure('media_unreadable', 'not a regular file');
      const first = await readAt(handle, 0, FIRST_BYTES);
      return {
        known: isKnown(first),
        ...riffLength(first),
        bytes: stats.size,
      };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ProbeFailure) throw error;
    throw new ProbeFailure('media_unreadable', 'the file cannot be opened', error);
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function isKnown(first: Buffer): boolean {
  const isTransport = [0, 188, 376].every((offset) => first[offset] === 0x47);
  return (
    isTransport ||
    FIRST_BOXES.has(first.toString('latin1', 4, 8)) ||
    MAGICS.some((magic) => first.subarray(0, magic.length).equals(magic))
  );
}

function riffLength(first: Buffer): Pick<ContainerSignature, 'openEnded' | 'statedBytes'> {
  if (first.length < 12 || first.toString('latin1', 0, 4) !== 'RIFF') return { openEnded: false, statedBytes: null };
  const length = first.readUInt32LE(4);
  const openEnded = length === 0 || length >= OPEN_LENGTH;
  const isWave = first.toString('latin1', 8, 12) === 'WAVE';
  return { openEnded, statedBytes: isWave && !openEnded ? length + RIFF_HEADER_BYTES : null };
}
