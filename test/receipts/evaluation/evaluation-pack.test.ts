import test from 'ava';
import type { PackItem } from '../../../contract/evaluation/evaluation-pack.ts';
import { contentIdOf } from '../../../receipts/core/canonical-json.ts';
import { readPack } from '../../../receipts/evaluation/evaluation-pack.ts';
import { bytesOf, fault, item, pack, packWith, withLabels } from './evaluation-packs.ts';

test('a pack has the content id of its canonical form, however it is laid out', (t) => {
  const read = readPack(bytesOf(pack));
  t.deepEqual(read, { contentId: contentIdOf(pack), pack });
  const { items, ...rest } = pack;
  const other = Buffer.from(JSON.stringify({ items, ...rest }, null, 4), 'utf8');
  t.is(readPack(other).contentId, read.contentId);
  const changed = readPack(
    bytesOf(packWith({ ...item, media: { ...item.media, contentId: `sha256:${'b'.repeat(64)}` } })),
  );
  t.not(changed.contentId, read.contentId);
});

test('what is no manifest is malformed, and the place is named', (t) => {
  const places: [unknown, string][] = [
    [{ ...pack, more: 1 }, 'manifest: Unrecognized key: "more"'],
    [{ ...pack, ownershipAttested: false }, 'manifest.ownershipAttested: Invalid input: expected true'],
    [packWith(), 'manifest.items: Too small: expected array to have >=1 items'],
    [packWith(item, item), 'manifest.items: items repeat'],
    [[], 'manifest.schema'],
  ];
  for (const [value, place] of places) t.throws(() => readPack(bytesOf(value)), fault('pack_malformed', place));
  t.throws(() => readPack(Buffer.from('{')), fault('pack_malformed', 'manifest'));
  t.throws(() => readPack(Buffer.from([0x22, 0xff, 0x22])), fault('pack_malformed', 'manifest'));
  t.throws(() => readPack(Buffer.alloc(16 * 1024 * 1024 + 1)), fault('pack_malformed', 'manifest: too large'));
});

test('paths stay plain and below the folder', (t) => {
  const pathed = (path: string) => () => readPack(bytesOf(packWith({ ...item, media: { ...item.media, path } })));
  const place = 'manifest.items.0.media.path: must be a plain relative path';
  for (const path of ['', '/etc/passwd', '../x', 'a/../b', 'a//b', './a', 'a/', 'a\\b', 'a\0b', '..', 'a/.'])
    t.throws(pathed(path), fault('pack_malformed', place), path);
  for (const path of ['a', 'a/b.mp4', '.hidden', 'a..b', '...', 'é/한.mkv']) t.notThrows(pathed(path), path);
});

test('labels that contradict themselves are malformed', (t) => {
  const cue = { startMs: 2000, endMs: 3000, text: 'x', language: null };
  const contradictions: [Partial<PackItem['labels']>, string][] = [
    [{ speech: [{ startMs: 2000, endMs: 2000 }] }, 'speech.0.endMs: startMs must be below endMs'],
    [
      {
        speech: [
          { startMs: 2000, endMs: 4000 },
          { startMs: 3000, endMs: 5000 },
        ],
      },
      'speech: must be in order and apart',
    ],
    [{ cuts: { frameRate: { numerator: 25, denominator: 1 }, atMs: [2000, 2000] } }, 'cuts.atMs: must ascend'],
    [
      { subtitles: [{ trackIndex: 2, language: null, cues: [cue, { ...cue, startMs: 1500 }] }] },
      'subtitles.0.cues: must be in the order of their starts',
    ],
    [
      {
        subtitles: [
          { trackIndex: 2, language: null, cues: [cue] },
          { trackIndex: 2, language: null, cues: [cue] },
        ],
      },
      'subtitles: tracks repeat',
    ],
  ];
  for (const [labels, place] of contradictions) {
    const read = () => readPack(bytesOf(packWith(withLabels(labels))));
    t.throws(read, fault('pack_malformed', `manifest.items.0.labels.${place}`));
  }
});

test('another schema is not guessed at', (t) => {
  const next = { ...pack, schema: 'studio.evaluation-pack.v2' };
  t.throws(() => readPack(bytesOf(next)), fault('pack_schema_unknown', 'studio.evaluation-pack.v2'));
});

test('an item without any label is refused, one with labels of nothing is not', (t) => {
  const none = { speech: null, cuts: null, subtitles: null, captions: null };
  t.throws(() => readPack(bytesOf(packWith(withLabels(none)))), fault('labels_empty', 'first'));
  t.throws(() => readPack(bytesOf(packWith(withLabels({ ...none, subtitles: [] })))), fault('labels_empty', 'first'));
  t.notThrows(() => readPack(bytesOf(packWith(withLabels({ ...none, speech: [] })))));
  t.throws(
    () => readPack(bytesOf(packWith(withLabels({ ...none, transcript: null })))),
    fault('labels_empty', 'first'),
  );
  t.notThrows(() => readPack(bytesOf(packWith(withLabels({ ...none, soundFaults: [] })))));
});

test('labels outside the range of their item are refused, with the label', (t) => {
  const cue = { startMs: 8000, endMs: 9001, text: 'x', language: null };
  const strays: [Partial<PackItem['labels']>, string][] = [
    [{ speech: [{ startMs: 999, endMs: 2000 }] }, 'speech.0'],
    [{ soundFaults: [{ kind: 'dropout', startMs: 8999, endMs: 9001 }] }, 'soundFaults.0'],
    [{ transcript: { language: 'en', lines: [{ startMs: 0, endMs: 2000, text: 'x' }] } }, 'transcript.lines.0'],
    [{ keyframes: { shots: [{ startMs: 999, endMs: 2000 }] } }, 'keyframes.shots.0'],
    [{ speech: [{ startMs: 8000, endMs: 9001 }] }, 'speech.0'],
    [{ cuts: { frameRate: { numerator: 25, denominator: 1 }, atMs: [1000, 9000] } }, 'cuts.atMs.1'],
    [{ cuts: { frameRate: { numerator: 25, denominator: 1 }, atMs: [999] } }, 'cuts.atMs.0'],
    [{ subtitles: [{ trackIndex: 2, language: null, cues: [cue] }] }, 'subtitles.0.cues.0'],
  ];
  for (const [labels, place] of strays) {
    const read = () => readPack(bytesOf(packWith(withLabels(labels))));
    t.throws(read, fault('labels_outside_media', `first: labels.${place}`));
  }
});
