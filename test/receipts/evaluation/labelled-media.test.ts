import test from 'ava';
import type { PackItem } from '../../../contract/evaluation/evaluation-pack.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { checkLabelledMedia } from '../../../receipts/evaluation/labelled-media.ts';
import { fault } from './evaluation-packs.ts';

type Kind = RegisteredSource['tracks'][number]['kind'];

const none: PackItem['labels'] = { speech: null, cuts: null, subtitles: null, captions: null };
const item = (labels: Partial<PackItem['labels']>, endMs = 9000): PackItem => ({
  itemId: 'first',
  media: { path: 'first.mkv', contentId: `sha256:${'a'.repeat(64)}`, bytes: 1 },
  range: { startMs: 1000, endMs },
  labels: { ...none, ...labels },
});

/** Media of nine seconds with tracks of these kinds. */
const media = (...kinds: readonly Kind[]) => ({
  session: { source: { durationMs: 9000 } },
  tracks: kinds.map((kind, index) => ({ id: `stream:${index}`, index, kind, codec: 'any', durationMs: null })),
});

const cuts = { frameRate: { numerator: 25, denominator: 1 }, atMs: [] };
const subtitles = [{ trackIndex: 1, language: null, cues: [] }];
const pairing = { sourceLanguage: 'ko', targetLanguage: 'en', lines: [{ source: '네', target: 'Yes' }] };
const captions = { sourceLanguage: 'ko', targetLanguage: 'en' };

test('labels of what the media has are taken', (t) => {
  t.notThrows(() => checkLabelledMedia(item({ speech: [], cuts, subtitles }), media('video', 'subtitle', 'audio')));
  t.notThrows(() => checkLabelledMedia(item({ captions }), media('audio')));
});

for (const [title, labelled, tracks, place] of [
  [
    'a range that ends after its media',
    item({ speech: [] }, 9001),
    ['audio'],
    'range ends after the media, which has 9000 ms',
  ],
  ['speech without sound', item({ speech: [] }), ['video'], 'labels.speech: no_audio_track'],
  ['text on the screen without a picture', item({ screenTexts: [] }), ['audio'], 'labels.screenTexts: no_video_track'],
  ['pairs without text tracks', item({ pairing }), ['video'], 'labels.pairing: no_text_subtitle_track'],
  ['cuts without a picture', item({ cuts }), ['audio'], 'labels.cuts: no_video_track'],
  [
    'cues without any text',
    item({ subtitles }),
    ['video', 'audio'],
    'labels.subtitles.0.trackIndex: no_text_subtitle_track',
  ],
  [
    'cues of a track that is something else',
    item({ subtitles }),
    ['subtitle', 'audio'],
    'labels.subtitles.0.trackIndex: no such text track',
  ],
] as const) {
  test(`${title} is refused`, (t) => {
    t.throws(() => checkLabelledMedia(labelled, media(...tracks)), fault('labels_outside_media', `first: ${place}`));
  });
}

test('captions of more than any production takes are refused', (t) => {
  const long = { session: { source: { durationMs: 121_001 } }, tracks: [] };
  t.notThrows(() => checkLabelledMedia(item({ captions }, 121_000), long));
  t.throws(
    () => checkLabelledMedia(item({ captions }, 121_001), long),
    fault(
      'labels_outside_media',
      'first: labels.captions: captions are made of at most 120000 ms, the study has 120001 ms',
    ),
  );
});
