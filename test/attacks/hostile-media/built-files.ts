import { readFileSync } from 'node:fs';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { chunk, type WaveFields, wave } from '../../http/host/media.ts';
import { seededBytes, seededNumbers } from '../../storage/ledger/scratch.ts';
import { box, patched, uint32 } from './bytes.ts';

/** A hostile file. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The targets that a hostile file may name: neither is ever to be reached. */
export interface Bait {
  /** A file outside of every data root. */
  readonly file: string;
  /** An address of this machine with a listener. */
  readonly url: string;
}

const sample = readFileSync(sampleMedia);
const greatest = 0xffff_ffff;

const all = (name: string, files: readonly Buffer[], ending = 'mp4'): HostileFile[] =>
  files.map((bytes, index) => ({ name: `${name}-${index + 1}.${ending}`, bytes }));

const truncated = (): HostileFile[] =>
  all(
    'truncated',
    [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99].map((part) =>
      sample.subarray(0, Math.max(12, sample.length * part)),
    ),
  );

/** Boxes whose lengths and counts lie. */
function lyingBoxes(): HostileFile[] {
  const lengths = ['moov', 'mdat', 'trak', 'stbl', 'stsd', 'stsz', 'stco'].flatMap((type) => [
    patched(sample, type, -4, uint32(greatest)),
    patched(sample, type, -4, uint32(7)),
  ]);
  const counts = ['stsz', 'stts', 'stsc'].map((type) =>
    patched(sample, type, type === 'stsz' ? 12 : 8, uint32(greatest)),
  );
  return all('lying', [...lengths, ...counts, patched(sample, 'moov', -4, uint32(0))]);
}

/** Times that cannot be. */
const oddTimes = (): HostileFile[] =>
  all('times', [
    patched(sample, 'mvhd', 16, uint32(0)),
    patched(sample, 'mvhd', 20, uint32(0)),
    patched(sample, 'mvhd', 20, uint32(greatest)),
    patched(sample, 'mdhd', 16, uint32(0)),
    patched(sample, 'mdhd', 16, uint32(1)),
    patched(sample, 'mdhd', 16, uint32(greatest)),
    patched(sample, 'mdhd', 20, uint32(0)),
    patched(sample, 'stts', 16, uint32(0)),
    patched(sample, 'stts', 16, uint32(0x7fff_ffff)),
    patched(sample, 'stts', 16, uint32(greatest)),
    patched(sample, 'elst', 16, uint32(0x8000_0000)),
    patched(sample, 'elst', 12, uint32(greatest)),
  ]);

/** Sizes of pictures that fit in no memory. */
const hugePictures = (): HostileFile[] => [
  ...all('huge', [
    patched(sample, 'avc1', 28, Buffer.from([0xff, 0xff, 0xff, 0xff])),
    patched(sample, 'avc1', 28, Buffer.from([0, 0, 0, 0])),
    patched(sample, 'tkhd', 80, uint32(0xffff_0000, 0xffff_0000)),
  ]),
  {
    name: 'huge.png',
    bytes: Buffer.concat([
      Buffer.from('89504e470d0a1a0a', 'hex'),
      Buffer.from('0000000d49484452', 'hex'),
      uint32(0x7fff_ffff, 0x7fff_ffff),
      Buffer.from('0806000000', 'hex'),
      uint32(0),
    ]),
  },
  {
    name: 'huge.gif',
    bytes: Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(4, 0xff), Buffer.from('f70000', 'hex')]),
  },
  {
    name: 'huge.svg',
    bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="999999999" height="999999999"/>'),
  },
];

const waves: readonly WaveFields[] = [
  { dataBytes: greatest },
  { dataBytes: 0 },
  { channels: 0 },
  { channels: 65_535 },
  { rate: 0 },
  { rate: greatest },
  { blockAlign: 0 },
  { bits: 0 },
  { bits: 65_535 },
];

/** Files that name other files and addresses, under names of playlists and of films. */
function references({ file, url }: Bait): HostileFile[] {
  const texts: Readonly<Record<string, string>> = {
    m3u8: `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${file}\n#EXT-X-ENDLIST\n`,
    'key.m3u8': `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${url}/key"\n#EXTINF:10,\n${url}/a.ts\n#EXT-X-ENDLIST\n`,
    'sub.m3u8': `#EXTM3U\n#EXTINF:1,\nsubfile,,start,0,end,99,,:${file}\n#EXTINF:1,\nconcat:${file}|${url}/x\n#EXT-X-ENDLIST\n`,
    ffconcat: `ffconcat version 1.0\nfile '${file}'\nfile '${url}/b.mp4'\n`,
    sdp: `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    mpd: `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet><Representation><BaseURL>${url}/c.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    pls: `[playlist]\nFile1=${url}/d.mp3\nNumberOfEntries=1\n`,
    asx: `<asx version="3.0"><entry><ref href="${url}/e.wmv"/></entry></asx>`,
    xml: `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file://${file}">]><x>&y;</x>`,
    smil: `<smil><body><video src="${url}/f.mp4"/></body></smil>`,
  };
  const named = Object.entries(texts).flatMap(([ending, text]) => [
    { name: `reference.${ending.replaceAll('.', '-')}.mp4`, bytes: Buffer.from(text) },
    {
      name: `padded.${ending.replaceAll('.', '-')}.mkv`,
      bytes: Buffer.concat([Buffer.from(text), Buffer.alloc(200_000, ' ')]),
    },
  ]);
  const elsewhere = (target: string) =>
    box('rmda', box('rdrf', uint32(0), Buffer.from('url '), uint32(target.length + 1), Buffer.from(`${target}\0`)));
  const movie = (target: string) =>
    Buffer.concat([box('ftyp', Buffer.from('qt  '), uint32(0)), box('moov', box('rmra', elsewhere(target)))]);
  return [
    ...named,
    ...all('elsewhere', [movie(`file://${file}`), movie(`${url}/g.mov`)], 'mov'),
    // The flag that says that the media lies in this file itself.
    ...all('data-reference', [
      patched(sample, 'url ', 4, uint32(0)),
      patched(sample, 'url ', 0, Buffer.from('alis')),
      patched(sample, 'url ', 0, Buffer.from('rsrc')),
    ]),
  ];
}

/** Files that are two things at once. */
function polyglots(): HostileFile[] {
  const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(26), deflateRawSync(Buffer.alloc(10_000_000))]);
  return [
    ...all('polyglot', [
      Buffer.concat([sample, zip]),
      Buffer.concat([zip, sample]),
      Buffer.concat([Buffer.from('%PDF-1.7\n'), sample]),
      Buffer.concat([Buffer.from('#!/bin/sh\nrm -rf /\n'), wave({})]),
      Buffer.concat([Buffer.from('<html><script>fetch("/")</script>'), sample]),
      Buffer.concat([Buffer.from('\x7fELF'), sample]),
    ]),
    {
      name: 'bomb.srt',
      bytes: Buffer.from(
        Array.from({ length: 50_000 }, (_, n) => `${n}\n00:00:00,000 --> 99:59:59,999\n${'x'.repeat(20)}\n\n`).join(''),
      ),
    },
    { name: 'bomb.mkv', bytes: gzipSync(Buffer.alloc(50_000_000)) },
  ];
}

/** More tracks than anybody plays. */
function manyStreams(): HostileFile[] {
  const header = Buffer.alloc(56);
  header.write('vidsMJPG', 0, 'latin1');
  const stream = chunk('LIST', Buffer.from('strl'), chunk('strh', header), chunk('strf', Buffer.alloc(40)));
  const list = chunk('LIST', Buffer.from('hdrl'), chunk('avih', Buffer.alloc(56)), ...Array<Buffer>(5000).fill(stream));
  const moov = sample.subarray(
    sample.indexOf('trak') - 4,
    sample.indexOf('trak') - 4 + sample.readUInt32BE(sample.indexOf('trak') - 4),
  );
  return [
    { name: 'streams.avi', bytes: chunk('RIFF', Buffer.from('AVI '), list, chunk('LIST', Buffer.from('movi'))) },
    {
      name: 'streams.mp4',
      bytes: Buffer.concat([
        box('ftyp', Buffer.from('isom'), uint32(0)),
        box('moov', ...Array<Buffer>(2000).fill(moov)),
      ]),
    },
  ];
}

/** The sample with a few bytes changed where it describes itself. */
function flipped(count: number): HostileFile[] {
  const below = seededNumbers(20_261_122);
  const [from, length] = [sample.indexOf('moov'), sample.readUInt32BE(sample.indexOf('moov') - 4)];
  return all(
    'flipped',
    Array.from({ length: count }, () => {
      const copy = Buffer.from(sample);
      for (let flip = 0; flip < 12; flip += 1) copy[from + 4 + below(length - 8)] = below(256);
      return copy;
    }),
  );
}

/** Every hostile file; the references in them name the bait. */
export const hostileFiles = (bait: Bait): HostileFile[] => [
  ...truncated(),
  ...lyingBoxes(),
  ...oddTimes(),
  ...hugePictures(),
  ...all('wave', waves.map(wave), 'wav'),
  ...references(bait),
  ...polyglots(),
  ...manyStreams(),
  ...flipped(10),
  ...all('noise', [Buffer.alloc(1), Buffer.alloc(1_000_000), seededBytes(1, 100_000), seededBytes(2, 33)]),
];
