import test from 'ava';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { audioTrackOf } from '../../../receipts/evidence/audio-track.ts';

type Requested = Parameters<typeof audioTrackOf>[1];

const automatic: Requested = { mode: 'automatic', languages: [], reason: null };
const declared = (language: string): Requested => ({ mode: 'declared', languages: [language], reason: null });

const track = (
  index: number,
  kind: RegisteredSource['tracks'][number]['kind'],
): RegisteredSource['tracks'][number] => ({
  id: `stream:${index}`,
  index,
  kind,
  codec: kind === 'audio' ? 'aac' : 'h264',
  durationMs: 1000,
});

/** A film with these audio tracks from index 1 on: their languages, and which of them are flagged. */
const film = (languages: readonly (string | null)[], defaultTracks?: number[]) => ({
  tracks: [track(0, 'video'), ...languages.map((_language, at) => track(at + 1, 'audio'))],
  trackLanguages: languages.flatMap((language, at) => (language === null ? [] : [{ index: at + 1, language }])),
  ...(defaultTracks === undefined ? {} : { defaultTracks }),
});

test('without a choice there is nothing to say of it', (t) => {
  t.is(audioTrackOf(film([]), automatic), null);
  t.deepEqual(audioTrackOf(film(['ko'], [1]), declared('en')), { index: 1, choice: null });
});

test('the first track that the container flags as default is heard, and the others are named', (t) => {
  t.deepEqual(audioTrackOf(film(['en', null, 'ko'], [2, 3]), automatic), {
    index: 2,
    choice: { rule: 'default flag', others: '1:aac:en,3:aac:ko' },
  });
});

test('where nothing is flagged, as in sources of earlier versions, the first track is heard', (t) => {
  t.deepEqual(audioTrackOf(film([null, 'en']), automatic), {
    index: 1,
    choice: { rule: 'first track', others: '2:aac:en' },
  });
});

test('a declared language that exactly one track has picks that track, however it is written', (t) => {
  for (const [stated, asked] of [
    ['kor', 'ko-KR'],
    ['ko', 'ko'],
    ['ger', 'de'],
  ] as const) {
    t.like(audioTrackOf(film(['en', 'fr', stated], [2]), declared(asked)), {
      index: 3,
      choice: { rule: 'only track of the declared language', others: '1:aac:en,2:aac:fr' },
    });
  }
});

test('a declared language that no track or several have leaves the choice to the flags', (t) => {
  t.like(audioTrackOf(film(['en', 'fr'], [2]), declared('ko')), { index: 2, choice: { rule: 'default flag' } });
  t.like(audioTrackOf(film(['en', 'en-GB', 'fr'], [3]), declared('en')), {
    index: 3,
    choice: { rule: 'default flag' },
  });
  t.like(audioTrackOf(film(['en', 'en']), declared('en')), { index: 1, choice: { rule: 'first track' } });
});

test('several languages, or a language that is none, pick no track', (t) => {
  const mixed: Requested = { mode: 'mixed', languages: ['ko', 'fr'], reason: null };
  t.like(audioTrackOf(film(['en', 'ko']), mixed), { index: 1 });
  t.like(audioTrackOf(film(['en', 'und']), declared('und')), { index: 1 });
});
