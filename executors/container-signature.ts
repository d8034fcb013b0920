import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { ProbeFailure } from './probe-failure.ts';

/** What the first bytes of a file say, before any tool reads it. */
export interface ContainerSignature {
  /** They are those of a container that the probe knows. */
  readonly known: boolean;
  /** It is a RIFF file whose writer could not go back to fill in the length, so that every end is a proper end. */
  readonly openEnded: boolean;
}

// Three packets of MPEG-TS: enough to tell its sync byte from a chance 0x47.
const FIRST_BYTES = 3 * 188;

// Four-letter box names that begin ISO base media and QuickTime files, at offset 4.
const FIRST_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'styp', 'moof']);

const MAGICS = [
  Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  Buffer.from([0x30, 0x26, 0xb2, 0x75]),
  Buffer.from([0x00, 0x00, 0x01, 0xba]),
  ...['RIFF', 'RF64', 'OggS', 'fLaC', 'FORM', 'FLV\u0001', 'ID3', 'caff', 'riff', '#!AMR'].map((text) =>
    Buffer.from(text, 'latin1'),
  ),
];

// Writers to a pipe leave 0, the largest number, or (sox, arecord) one near 2^31 in the length field.
const OPEN_LENGTH = 0x7fff_0000;

/** Reads the first bytes of a regular file. Rejects with `media_unreadable` when there is none that can be opened. */
export async function readSignature(file: string): Promise<ContainerSignature> {
  const first = await readFirstBytes(file);
  const name = first.toString('latin1', 4, 8);
  const isTransport = [0, 188, 376].every((offset) => first[offset] === 0x47);
  const known =
    FIRST_BOXES.has(name) || isTransport || MAGICS.some((magic) => first.subarray(0, magic.length).equals(magic));
  return { known, openEnded: isOpenEnded(first) };
}

function isOpenEnded(first: Buffer): boolean {
  if (first.length < 8 || first.toString('latin1', 0, 4) !== 'RIFF') return false;
  const length = first.readUInt32LE(4);
  return length === 0 || length >= OPEN_LENGTH;
}

async function readFirstBytes(file: string): Promise<Buffer> {
  try {
    // Without O_NONBLOCK the opening of a pipe would wait for a writer for ever.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) throw new ProbeFailure('media_unreadable', 'not a regular file');
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ProbeFailure) throw error;
    throw new ProbeFailure('media_unreadable', 'the file cannot be opened', error);
  }
}
