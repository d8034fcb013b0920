import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, ServiceError } from '../../../contract/base/errors.ts';
import { SourceInconsistent } from '../../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import type { SubtitleFormat } from '../../../contract/sources/subtitle-track.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { linesOfStep, measuredCues, openSubtitleFile } from '../../../formats/subtitles.ts';
import { receiptOf, sealOwnedIngest, sealVideohostIngest } from '../../../receipts/sources/seal-source.ts';
import { contentRefOf } from '../../../receipts/sources/sealed-record.ts';
import { sealedSubtitleOf } from '../../../receipts/sources/subtitle-track.ts';
import { type SealedChain, verifyRecords, verifySource } from '../../../receipts/sources/verify-source.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { attachedClip, attachedTrack } from './attached-clip.ts';
import { clipIngest, forged, videoIngest, withSubtitles } from './sealed-clip.ts';

const unstated = { format: null, encoding: null };
const open = (text: string | Uint8Array, stated: { format?: SubtitleFormat; encoding?: string } = {}) =>
  resultOfSteps(
    openSubtitleFile(typeof text === 'string' ? Buffer.from(text, 'utf8') : text, { ...unstated, ...stated }),
  );

function refused(t: ExecutionContext, text: string | Uint8Array, code: ErrorCode, message: RegExp, stated = {}): void {
  const error = t.throws(() => open(text, stated), { instanceOf: ServiceError }, String(text));
  t.is(error?.code, code);
  t.regex(error?.message ?? '', message);
}

const ass = (...lines: readonly string[]): string =>
  ['[Script Info]', 'ScriptType: v4.00+', '', '[Events]', ...lines].join('\n');
const fields = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text';
const line = (start: string, end: string, text: string): string =>
  `Dialogue: 0,${start},${end},Default,,0,0,0,,${text}`;

test('a SubRip file has its cues with their lines, for any line ending', (t) => {
  const text = '1\n00:00:01,000 --> 00:00:02,500 X1:0\n<i>a</i>\nb\n\n\n2\n100:00:01.000-->100:00:02.000\n';
  const cues = [
    { line: 2, startMs: 1000, endMs: 2500, text: '<i>a</i>\nb' },
    { line: 8, startMs: 360_001_000, endMs: 360_002_000, text: '' },
  ];
  t.like(open(text), { format: 'srt', encoding: 'utf-8', cues });
  t.deepEqual(open(text.replaceAll('\n', '\r\n')).cues, cues);
  t.deepEqual(open('1\n00:00:01,000 --> 00:00:02,000\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\n7').cues.length, 2);
});

test('a WebVTT file has its cues without comments, and its text has neither styles nor regions', (t) => {
  const styled =
    'WEBVTT - lines\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE a --> b\n\nid\n01:00.000 --> 01:00:02.000 line:0\n<v A>x\n';
  const file = open(styled);
  t.deepEqual(file.cues, [{ line: 10, startMs: 60_000, endMs: 3_602_000, text: '<v A>x' }]);
  t.is(file.format, 'webvtt');
  t.is(Buffer.from(file.text).toString('utf8'), styled.replace('STYLE\n::cue { color: red }\n', ''));
  const plain = 'WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nx';
  t.is(Buffer.from(open(plain).text).toString('utf8'), plain);
});

test('the text of a WebVTT file has no cue name that ffmpeg takes for a comment or a head', (t) => {
  const named = (...names: readonly string[]): string =>
    ['WEBVTT', ...names.map((name, at) => `${name}00:0${at}.000 --> 00:0${at}.500\nNOTE-${at}`)].join('\n\n');
  const names = ['NOTEBOOK\n', 'NOTE-1\n', 'WEBVTT2\n', 'a NOTE\n', 'Note\n', 'NOTE\nof three\n\n'];
  const file = open(named(...names));
  t.is(file.cues.length, names.length);
  t.is(Buffer.from(file.text).toString('utf8'), named('', '', '', ...names.slice(3)));
  const returned = named(...names).replaceAll('\n', '\r\n');
  t.is(
    Buffer.from(open(returned).text).toString('utf8'),
    named('', '', '', ...names.slice(3)).replaceAll('\n', '\r\n'),
  );
});

test('an ASS file has the events that are dialogue', (t) => {
  const file = open(
    ass(fields, line('0:00:01.50', '0:00:02.00', '{\\i1}a, b'), 'Comment: 0,x', line('1:00:00.00', '1:00:00.00', '')),
  );
  t.is(file.format, 'ass');
  t.deepEqual(file.cues, [
    { line: 6, startMs: 1500, endMs: 2000, text: 'Default,,0,0,0,,{\\i1}a, b' },
    { line: 8, startMs: 3_600_000, endMs: 3_600_000, text: 'Default,,0,0,0,,' },
  ]);
});

const times = (at: number): string => `00:00:0${at},000 --> 00:00:0${at},500`;

test('lone carriage returns, missing numbers and another order of fields are read, and noted with their line', (t) => {
  const readAs = (text: string, read: string, notes: readonly unknown[]) => {
    const file = open(text);
    t.is(Buffer.from(file.text).toString('utf8'), read);
    t.deepEqual(file.notes, notes);
    return file;
  };
  const returned = `1\r${times(1)}\rx\r\r2\r${times(2)}\r\ny`;
  const { cues } = readAs(returned, `1\n${times(1)}\nx\n\n2\n${times(2)}\r\ny`, [
    { note: 'line_end', line: 1, count: 5 },
  ]);
  t.deepEqual(cues, open(`1\n${times(1)}\nx\n\n2\n${times(2)}\ny`).cues);
  readAs(`WEBVTT\r\r00:01.000 --> 00:02.000\rx`, `WEBVTT\n\n00:01.000 --> 00:02.000\nx`, [
    { note: 'line_end', line: 1, count: 3 },
  ]);
  const bare = readAs(
    `${times(1)}\n5 dogs\n\n${times(2)}\n\n7\n${times(3)}\ny\r\n\r\n${times(4)}\nz`,
    `${times(1)}\n5 dogs\n2\n${times(2)}\n\n7\n${times(3)}\ny\r\n4\r\n${times(4)}\nz`,
    [{ note: 'cue_number', line: 1, count: 3 }],
  );
  t.deepEqual(fieldsOf(bare.cues, 'line', 'text'), [
    [1, '5 dogs'],
    [4, ''],
    [7, 'y'],
    [10, 'z'],
  ]);
  const ordered = readAs(
    ass('Format: Start, End, Actor, Style, Text', 'Dialogue: 0:00:01.00, 0:00:02.00,A,Big,b, c\r', 'Comment: x'),
    ass(fields, 'Dialogue: 0,0:00:01.00,0:00:02.00,Big,A,0,0,0,,b, c\r', 'Comment: x'),
    [{ note: 'field_order', line: 5, count: 1 }],
  );
  t.deepEqual(ordered.cues, [{ line: 6, startMs: 1000, endMs: 2000, text: 'Big,A,0,0,0,,b, c' }]);
});

test('names of code pages name the encodings that they are', (t) => {
  const korean = Buffer.concat([Buffer.from(`1\n${times(1)}\n`), Buffer.from([0xb0, 0xa1, 0x8c, 0x63])]);
  for (const encoding of ['cp949', 'CP949', 'uhc', 'windows-949', 'euc-kr']) {
    t.like(open(korean, { encoding }), { encoding: 'euc-kr', cues: [{ text: '\uAC00\uB620' }] }, encoding);
  }
  t.is(open(korean, { encoding: 'cp936' }).encoding, 'gbk');
  // The last pair that windows-949 has, and the one behind it.
  const pair = (trail: number) => Buffer.concat([korean.subarray(0, -2), Buffer.from([0xc6, trail])]);
  t.is(open(pair(0x52), { encoding: 'cp949' }).cues[0]?.text, '\uAC00\uD7A3');
  refused(t, pair(0x53), 'subtitle_encoding_mismatch', /euc-kr/, { encoding: 'cp949' });
});

test('bug: a text of no known format was said to be "neither srt, webvtt nor ass, not srt"', (t) => {
  const message = /^this is not an SRT, WebVTT or ASS file$/;
  refused(t, 'words', 'subtitle_format_mismatch', message, { format: 'srt' });
  refused(t, 'words', 'subtitle_format_mismatch', message);
});

test('bug: two signs of windows-949 were refused', (t) => {
  const signs = Buffer.concat([Buffer.from(`1\n${times(1)}\n`), Buffer.from([0xa2, 0xe6, 0xa2, 0xe7])]);
  t.is(open(signs, { encoding: 'cp949' }).cues[0]?.text, '€®');
});

test('bug: a file of syllables that EUC-KR lacks was decoded in half a million calls', (t) => {
  const [cues, syllables] = [100, Buffer.from('8141b0a1'.repeat(200), 'hex')];
  const file = Buffer.concat(
    Array.from({ length: cues }, (_, at) => [
      Buffer.from(`${at + 1}\n${times(1)}\n`),
      syllables,
      Buffer.from('\n\n'),
    ]).flat(),
  );
  const { decode } = TextDecoder.prototype;
  let calls = 0;
  TextDecoder.prototype.decode = function (...given) {
    calls += 1;
    return decode.apply(this, given);
  };
  try {
    const texts = open(file, { encoding: 'cp949' }).cues.map(({ text }) => text);
    t.deepEqual(texts, Array(cues).fill('\uAC02\uAC00'.repeat(200)));
  } finally {
    TextDecoder.prototype.decode = decode;
  }
  t.true(calls < 200, `${calls} calls`);
});

test('bug: characters of Hong Kong in Big5 were taken for private ones', (t) => {
  const inBig5 = Buffer.concat([Buffer.from(`1\n${times(1)}\n`), Buffer.from([0xa7, 0x41, 0x87, 0x40])]);
  refused(t, inBig5, 'subtitle_encoding_mismatch', /^line 3 has the private character U\+F266: .* big5/, {
    encoding: 'big5-hkscs',
  });
  t.is(open(`1\n${times(1)}\n\uF266`).cues[0]?.text, '\uF266');
});

/** Bytes of texts in encodings that Node.js decodes and does not encode. */
const foreign: readonly (readonly [string, string])[] = [
  ['euc-kr', 'bec8b3e7c7cfbcbcbfe42e20bfecb8aeb4c220c0dabfa9'],
  ['shift_jis', '82b182f182c982bf82cd81428da193fa82cd89638bc6'],
  ['gb18030', 'c4e3bac3a3acceD2c3c7bdf1ccecc8a5cbc7b4a8'],
  ['windows-1251', 'cff0e8e2e5f22c20eaeae0ea20e4e5ebe03f20ddf2ee20ece0fff7eae8'],
  ['windows-1252', '57617320683f72656e205369653f204dfc6465206b656872656e2065696e696765207a7572fc636b'],
];

test('of bytes in another encoding the message offers a likely one, and takes none', (t) => {
  for (const [encoding, hex] of foreign) {
    const bytes = Buffer.concat([Buffer.from(`1\n${times(1)}\n`), Buffer.from(hex, 'hex')]);
    refused(t, bytes, 'subtitle_encoding_mismatch', new RegExp(`not text in utf-8; they look like ${encoding}$`));
  }
  const utf8 = Buffer.from(`1\n${times(1)}\nJa — Ärzte`, 'utf8');
  refused(t, utf8, 'subtitle_encoding_mismatch', /not text in euc-kr; they look like utf-8/, { encoding: 'cp949' });
  refused(t, Buffer.from([0x31, 0xd7, 0x31]), 'subtitle_encoding_mismatch', /not text in utf-8$/);
});

test('bug: UTF-16 without a mark was said to look like windows-1252', (t) => {
  for (const words of ['M\u00E4dchen', 'Hello', '안녕하세요']) {
    const little = Buffer.from(`1\n${times(1)}\n${words}\n`.repeat(400), 'utf16le');
    refused(t, little, 'subtitle_encoding_mismatch', /not text in utf-8; they look like utf-16le$/);
    refused(
      t,
      Buffer.from(little).swap16(),
      'subtitle_encoding_mismatch',
      /not text in utf-8; they look like utf-16be$/,
    );
  }
});

test('bug: a file in another encoding was tried in eight of them as a whole, for seconds', (t) => {
  const korean = Buffer.from('bec8b3e7c7cfbcbcbfe42e0a', 'hex');
  const whole = Buffer.concat(Array.from({ length: 4000 }, () => korean));
  refused(t, whole, 'subtitle_encoding_mismatch', /they look like euc-kr$/);
  // The guess is made of the first lines alone.
  refused(t, Buffer.concat([whole, Buffer.from([0xff])]), 'subtitle_encoding_mismatch', /they look like euc-kr$/);
  const line = Buffer.concat(Array.from({ length: 4000 }, () => korean.subarray(0, -1)));
  refused(t, line, 'subtitle_encoding_mismatch', /not text in utf-8$/);
});

test('a byte order mark decides the encoding before its name does, and is not text', (t) => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\nä\n';
  const utf8 = Buffer.from(text, 'utf8');
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const [encoding, bytes] of [
    ['utf-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), utf8])],
    ['utf-16le', little],
    ['utf-16be', Buffer.from(little).swap16()],
  ] as const) {
    const file = open(bytes, { encoding: 'windows-1252' });
    t.is(file.encoding, encoding);
    t.deepEqual(Buffer.from(file.text), utf8);
  }
  const quoted = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nx', 'latin1');
  quoted[quoted.length - 1] = 0x92;
  t.is(open(quoted, { encoding: 'windows-1252' }).cues[0]?.text, '’');
  const named = open(Buffer.from(text, 'latin1'), { encoding: 'Latin1' });
  t.is(named.encoding, 'windows-1252');
  t.deepEqual(Buffer.from(named.text), utf8);
});

test('what is found among the cues is counted, and none of them is moved', (t) => {
  const spans = [
    [5, 9],
    [1, 2],
    [1, 3],
    [20, 20],
    [30, 31],
  ];
  const text = spans
    .map(
      ([start = 0, end = 0], at) =>
        `${at}\n00:00:${String(start).padStart(2, '0')},000 --> 00:00:${String(end).padStart(2, '0')},000\nx\n`,
    )
    .join('\n');
  const { cues } = open(text);
  t.deepEqual(
    cues.map(({ startMs, endMs }) => [startMs / 1000, endMs / 1000]),
    spans,
  );
  t.deepEqual(measuredCues(cues, 20_000), {
    cues: 5,
    outOfOrder: 1,
    overlapping: 1,
    withoutDuration: 1,
    beyondMedia: 2,
  });
});

test('a file that needs a guess is refused with the line at fault', (t) => {
  const times = '00:00:01,000 --> 00:00:02,000';
  const wrong: readonly (readonly [string, RegExp])[] = [
    [`Title\n1\n${times}\nx`, /^line 1: there is text before/],
    [`1\n${times}\nx\n${times}\ny`, /^line 4: the number of the cue is missing/],
    [`${times}\nx\n\n${times}\n42\n\n${times}\ny`, /^line 7: the number above a blank line may be text/],
    [`1\n${times}\nx\n\n2 dogs\n${times}\ny`, /^line 6: the number of the cue is missing/],
    [`1\n${times}\nx\n\n2\n00:00:0x,000 --> 00:00:02,000`, /^line 6: times are needed/],
    [`1\n00:61:01,000 --> 00:62:02,000\nx`, /^line 2: times are needed/],
    [`1\n00:00:01:05 --> 00:00:02:00\nx`, /^line 2: times are needed/],
    [`1\n${times}\n${'x'.repeat(4001)}`, /^line 3: longer than/],
    ['WEBVTT\n00:01.000 --> 00:02.000\nx', /^line 2: a blank line is needed/],
    [
      'WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n00:01.000 --> 00:02.000\nx\n\nWEBVTT\nX-TIMESTAMP-MAP=MPEGTS:9,LOCAL:00:00:00.000\n\n00:03.000 --> 00:04.000\ny',
      /^line 8: the parts of the file have different clocks/,
    ],
    ['WEBVTTX\n\n00:01.000 --> 00:02.000\nx', /^line 1: WEBVTT is needed/],
    ['\nWEBVTT\n\n00:01.000 --> 00:02.000\nx', /^line 1: WEBVTT is needed/],
    ['WEBVTT\n\n00:01;000 --> 00:02;000\nx', /^line 3: times are needed/],
    ['WEBVTT\n\nx\ny\nz', /^line 4: times are needed/],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\nx\n00:03.000 --> 00:04.000\ny', /^line 5: a blank line is needed/],
    [ass(line('0:00:01.00', '0:00:02.00', 'x')), /^line 5: a Format line/],
    [ass('Format: Text, Start, End'), /^line 5: the Format line needs/],
    [ass('Format: Start, End, Start, Text'), /^line 5: the Format line needs/],
    [ass('Format: Start, End, Scene, Text'), /^line 5: the Format line needs/],
    [ass(fields, 'Dialogue: 0,0:00:01.0,0:00:02.00,a,,0,0,0,,x'), /^line 6: an event is needed/],
    [ass(fields, 'Dialogue: 0,0:00:01.00,0:00:02.00,x'), /^line 6: an event is needed/],
    [ass(fields, line('0:00:02.00', '0:00:01.00', 'x')), /^line 6: the cue ends before it begins/],
  ];
  for (const [text, message] of wrong) refused(t, text, 'invalid_subtitle_file', message);
});

test('bytes in another encoding and binary files are refused', (t) => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\né\n';
  refused(
    t,
    Buffer.from(text, 'latin1'),
    'subtitle_encoding_mismatch',
    /^the bytes are not text in utf-8; .* windows-1252/,
  );
  refused(t, Buffer.from('1\n', 'utf16le'), 'subtitle_encoding_mismatch', /^line 1 has the control character U\+0000/);
  refused(t, Buffer.from([0x00, 0x01]), 'subtitle_encoding_mismatch', /U\+0000/);
  refused(t, Buffer.from([0xef, 0xbb, 0xbf, 0xe9]), 'subtitle_encoding_mismatch', /utf-8$/, { encoding: 'latin1' });
  refused(t, Buffer.from([0x31, 0x81]), 'subtitle_encoding_mismatch', /U\+0081/, { encoding: 'windows-1252' });
  refused(t, Buffer.from([0xff, 0xfe, 0x31]), 'subtitle_encoding_mismatch', /utf-16le$/);
  refused(t, 'x', 'invalid_subtitle_request', /^encoding: replacement is not an encoding/, { encoding: 'replacement' });
});

/** A file of the largest size: a beginning, and one part of it again and again. */
const filled = (head: string, part: string): string =>
  head + part.repeat(Math.floor((1024 * 1024 - head.length) / part.length));

const assHead = `${ass(fields)}\n${line('0:00:00.00', '0:00:00.01', 'x')}\n`;

const hostile = {
  'blank lines': filled('1\n00:00:00,000 --> 00:00:00,001\nx\n', '\n'),
  'one cue of short lines': filled('1\n00:00:00,000 --> 00:00:00,001\n', 'x\n'),
  'SubRip cues without text': filled('', '1\n00:00:00,000 --> 00:00:00,001\n'),
  'WebVTT cues without text': filled('WEBVTT\n', '\n00:00.000 --> 00:00.001\n'),
  'one WebVTT cue of short lines': filled('WEBVTT\n\n00:00.000 --> 00:00.001\n', 'x\n'),
  comments: filled('WEBVTT\n\n00:00.000 --> 00:00.001\nx\n', '\nNOTE\n'),
  styles: filled('WEBVTT\n\n00:00.000 --> 00:00.001\nx\n', '\nSTYLE\nx\n'),
  'one style of short lines': filled('WEBVTT\n\n00:00.000 --> 00:00.001\nx\n\nSTYLE\n', 'x\n'),
  'ASS events without text': filled(assHead, 'Dialogue:,0:00:00.00,0:00:00.01,,,,,,,\n'),
  'short lines in an ASS file': filled(assHead, 'x\n'),
};

for (const [of, text] of Object.entries(hostile)) {
  test(`a file of 1 MiB of ${of} is read in steps of at most ${linesOfStep} lines`, (t) => {
    const steps = openSubtitleFile(Buffer.from(text, 'utf8'), unstated);
    let count = 0;
    while (steps.next().done !== true) count += 1;
    t.true(count >= Math.floor(text.split('\n').length / linesOfStep), `${count} steps`);
  });
}

const { chain: bareChain, files } = attachedClip();
const bare = sealOwnedIngest(clipIngest);
const track = attachedTrack;
const verified = (chain: SealedChain) => resultOfSteps(verifyRecords(chain));

const attached = withSubtitles(bareChain, [track(4), track(5, null)], files);

const bytesOf = (words: string): Buffer => Buffer.from(words, 'utf8');

const inconsistent = (code: string, place: RegExp) =>
  ({ instanceOf: SourceInconsistent, code, message: place }) as const;

test('an attached file makes another revision of its source, with a track behind the others', (t) => {
  const { session, tracks, trackLanguages, subtitleTracks = [] } = attached.source;
  t.is(session.sessionId, bare.source.session.sessionId);
  t.not(session.revisionId, bare.source.session.revisionId);
  t.deepEqual(tracks.slice(0, 4), bare.source.tracks);
  t.deepEqual(
    tracks.slice(4),
    [4, 5].map((index) => ({ id: `stream:${index}`, index, kind: 'subtitle', codec: 'subrip', durationMs: null })),
  );
  t.deepEqual(trackLanguages.slice(-1), [{ index: 4, language: 'en' }]);
  t.deepEqual(fieldsOf(subtitleTracks, 'trackIndex', 'language'), [
    [4, 'en'],
    [5, null],
  ]);
  t.deepEqual(fieldOf(attached.source.files.slice(-2), 'contentId'), [...files.keys()]);
  t.deepEqual(registeredSource.parse(attached.source), attached.source);
  t.deepEqual(verifySource(attached.chain, null), attached.source);
});

test('bug: all files of a source were verified in one turn of the thread, twice when one more was attached', (t) => {
  const stepsWith = (count: number): number => {
    const tracks = Array.from({ length: count }, (_, at) => track(4 + at));
    const steps = verifyRecords(withSubtitles(bareChain, tracks, files).chain);
    let taken = 1;
    while (steps.next().done !== true) taken += 1;
    return taken;
  };
  // A file is read, its text is read, decoded, adapted and compared.
  t.true(stepsWith(24) >= stepsWith(8) + 16 * 4);
});

test('the source is what it was, byte for byte, when its last file is taken off', (t) => {
  t.deepEqual(withSubtitles(attached.chain, [], files).source, bare.source);
  t.deepEqual(
    withSubtitles(attached.chain, [track(4)], files).source,
    withSubtitles(bare.chain, [track(4)], files).source,
  );
});

test('a range of a video takes files as an owned file does', (t) => {
  const { chain, source } = sealVideohostIngest(videoIngest);
  const sealed = withSubtitles(chain, [track(4)], files);
  t.is(sealed.source.trackCount, source.trackCount + 1);
  t.deepEqual(verifySource(sealed.chain, null), sealed.source);
});

const saying = (tracks: unknown): SealedChain =>
  forged(attached.chain, 'source-receipt', { ...receiptOf(attached.chain), subtitle_tracks: tracks });

test('a receipt that describes a file wrongly is refused', (t) => {
  const [one, two] = [track(4), track(5)];
  const refusals: readonly (readonly [unknown, string, RegExp])[] = [
    [[{ ...one, bytes: one.bytes + 1 }], 'content_mismatch', /0\.content_id$/],
    [[{ ...one, text: { ...one.text, bytes: 1 } }], 'content_mismatch', /0\.text$/],
    [[{ ...one, text: { ...one.text, content_id: one.content_id, bytes: one.bytes } }], 'link_mismatch', /0\.text$/],
    [[{ ...one, encoding: 'utf-16le' }], 'content_mismatch|link_mismatch', /0\.(?:encoding|text)$/],
    [[{ ...one, path: '../lines.srt' }], 'source_outside_root', /0\.path$/],
    [[{ ...one, track_index: 3 }], 'link_mismatch', /0\.track_index$/],
    [[two, one], 'link_mismatch', /1\.track_index$/],
  ];
  for (const [tracks, code, place] of refusals) {
    const error = t.throws(() => verified(saying(tracks)), { instanceOf: SourceInconsistent });
    t.regex(error?.code ?? '', new RegExp(`^(?:${code})$`));
    t.regex(error?.place ?? '', place);
  }
});

test('a file that is missing or has other bytes is reported', (t) => {
  const [raw = '', text = ''] = files.keys();
  const without = (contentId: string) => new Map([...files].filter(([each]) => each !== contentId));
  t.throws(
    () => verified({ ...attached.chain, subtitles: without(raw) }),
    inconsistent('file_missing', /0\.content_id$/),
  );
  t.throws(() => verified({ ...attached.chain, subtitles: without(text) }), inconsistent('file_missing', /0\.text$/));
  const changed = new Map([...files, [text, Buffer.concat([files.get(text) ?? bytesOf(''), bytesOf('!')])]]);
  t.throws(() => verified({ ...attached.chain, subtitles: changed }), inconsistent('content_mismatch', /0\.text$/));
});

test('a text of WebVTT is derived again, or checked for its form if older rules kept a name', (t) => {
  const written = bytesOf('WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:01.000\nnever shown\n\n00:02.000 --> 00:03.000\nx\n');
  const before = written;
  const today = bytesOf(written.toString('utf8').replace('NOTEBOOK\n', ''));
  const other = bytesOf(written.toString('utf8').replace('never', 'ever'));
  const sealedAs = (text: Buffer) => {
    const [file, ...texts] = [written, text].map(contentRefOf);
    if (file === undefined) throw new Error('a file');
    const named = sealedSubtitleOf({
      trackIndex: 4,
      label: 'Lines',
      language: 'en',
      format: 'webvtt',
      encoding: 'utf-8',
      file,
      text: texts[0] ?? file,
      rightsHolder: 'Me',
      assertedAt: '2026-01-02T03:04:05.678Z',
      measured: { cues: 2, outOfOrder: 0, overlapping: 0, withoutDuration: 1, beyondMedia: 0 },
      notes: [],
    });
    const all = new Map([...files, ...[written, text].map((each) => [contentRefOf(each).contentId, each] as const)]);
    return () => verified(withSubtitles(bareChain, [named], all).chain).subtitleTexts;
  };
  const rules = (version: number) => ({ name: 'readable text', version });
  t.deepEqual(sealedAs(before)(), [{ rules: rules(1), present: 3, check: 'form_checked' }]);
  t.deepEqual(sealedAs(today)(), [{ rules: rules(3), present: 3, check: 'judged_again' }]);
  for (const text of [other, bytesOf(`${today}more\n`), bytesOf(today.toString('utf8').replace('x\n', ''))]) {
    t.throws(sealedAs(text), inconsistent('link_mismatch', /0\.text$/));
  }
});

test('bug: a text of WebVTT without the note on what was adapted in it was taken for one of older rules', (t) => {
  const written = bytesOf('WEBVTT\r\r00:01.000 --> 00:02.000\rx\r');
  const text = bytesOf(written.toString('utf8').replaceAll('\r', '\n'));
  const [file, read] = [contentRefOf(written), contentRefOf(text)];
  const sealedWith = (notes: Parameters<typeof sealedSubtitleOf>[0]['notes']) => {
    const named = sealedSubtitleOf({
      trackIndex: 4,
      label: 'Lines',
      language: 'en',
      format: 'webvtt',
      encoding: 'utf-8',
      file,
      text: read,
      notes,
      rightsHolder: 'Me',
      assertedAt: '2026-01-02T03:04:05.678Z',
      measured: { cues: 1, outOfOrder: 0, overlapping: 0, withoutDuration: 0, beyondMedia: 0 },
    });
    const all = new Map([...files, [file.contentId, written], [read.contentId, text]]);
    return () => verified(withSubtitles(bareChain, [named], all).chain).subtitleTexts;
  };
  t.like(sealedWith([{ note: 'line_end', line: 1, count: 4 }])()[0], { check: 'judged_again' });
  t.throws(sealedWith([]), inconsistent('link_mismatch', /0\.text$/));
});
