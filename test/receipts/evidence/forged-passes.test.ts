import test from 'ava';
import type { Detection, EvidenceArtifact, UnavailableReason } from '../../../contract/evidence/evidence.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { placeOf } from '../reopening/reopened.ts';
import { type StoredPasses, type StudyShape, storedStudy } from './stored-study.ts';
import { twoTracks } from './stored-tracks.ts';

type Forgery = (passes: StoredPasses) => Partial<StoredPasses>;

const shape = { version: 1, windows: 4, tracks: twoTracks } as const satisfies StudyShape;

/** Where the study of a forger is found out, of which every digest and everything that follows is as it must be. */
function foundOut(forge: Forgery, over: StudyShape = shape): Promise<string | null> {
  const study = storedStudy({ ...over, forged: (passes) => ({ ...passes, ...forge(passes) }) });
  return placeOf(storedRuntimeOf(study), contentOf(study.files));
}

const without = (detection: Detection | undefined, reasonCode: UnavailableReason, trackIndex?: number): Detection => ({
  kind: detection?.kind ?? 'silence',
  state: 'unavailable',
  reasonCode,
  ...(trackIndex === undefined ? {} : { trackIndex }),
});

const changed = (
  detection: Detection | undefined,
  change: (artifact: EvidenceArtifact) => Partial<EvidenceArtifact>,
): Detection => {
  if (detection?.state !== 'available') throw new RangeError('nothing was found');
  return { ...detection, artifact: { ...detection.artifact, ...change(detection.artifact) } };
};

const firstFact = (artifact: EvidenceArtifact, change: object) => ({
  facts: artifact.facts.map((fact, at) => (at === 0 ? ({ ...fact, ...change } as typeof fact) : fact)),
});

const inTrack = (trackIndex: number) => (artifact: EvidenceArtifact) => ({
  input: { ...artifact.input, trackIndex },
});

type Forged = 'detect' | 'subtitles';

/** One detection of a pass in another form. */
const at =
  (pass: Forged, place: number, change: (detection: Detection | undefined) => Detection): Forgery =>
  (passes) => ({ [pass]: passes[pass].with(place, change(passes[pass][place])) });

const list =
  (pass: Forged, change: (detections: readonly Detection[]) => readonly Detection[]): Forgery =>
  (passes) => ({ [pass]: change(passes[pass]) });

const stating =
  (pass: Forged, parameters: Readonly<Record<string, string | number | null>>): Forgery =>
  ({ operations }) => ({
    operations: {
      ...operations,
      [pass]: { ...operations[pass], parameters: { ...operations[pass].parameters, ...parameters } },
    },
  });

const forgeries: Readonly<Record<string, readonly [Forgery, string]>> = {
  'a pass without a kind': [list('detect', (all) => all.slice(0, 3)), 'media_operation: receipt.evidence[3]'],
  'a pass with a kind twice': [
    list('detect', (all) => [...all, ...all.slice(1, 2)]),
    'media_operation: receipt.evidence[4]',
  ],
  'kinds in another order': [
    list('detect', ([speech, silence, ...rest]) =>
      [speech, rest[0], silence, ...rest.slice(1)].flatMap((each) => each ?? []),
    ),
    'media_operation: receipt.evidence[1].kind',
  ],
  'sound that is said to have no track': [
    at('detect', 1, (silence) => without(silence, 'no_audio_track')),
    'media_operation: receipt.evidence[1].reasonCode',
  ],
  'silences that are said to be in no range, beside speech that is': [
    at('detect', 1, (silence) => without(silence, 'no_audio_in_range')),
    'media_operation: receipt.evidence[1].state',
  ],
  'a reason of another kind': [
    at('detect', 3, (cuts) => without(cuts, 'recognition_failed')),
    'media_operation: receipt.evidence[3].reasonCode',
  ],
  'pictures that are said to have no track': [
    at('detect', 3, (cuts) => without(cuts, 'no_video_track')),
    'media_operation: receipt.evidence[3].reasonCode',
  ],
  'a track that was not listened to': [
    stating('detect', { audioTrackIndex: 3 }),
    'media_operation: parameters.audioTrackIndex',
  ],
  'a rule for a track that had no other': [
    (passes) => ({
      ...stating('detect', { 'speech_activity.audioTrackRule': 'first track' })(passes),
      ...at('detect', 0, (speech) =>
        changed(speech, ({ parameters }) => ({ parameters: { ...parameters, audioTrackRule: 'first track' } })),
      )(passes),
    }),
    'media_operation: parameters.speech_activity.audioTrackRule',
  ],
  'further evidence that was measured and is gone': [
    stating('detect', { 'waveform.windowMs': 20 }),
    'media_operation: further[0]',
  ],
  'further evidence that is gone with all that was stated of it': [
    stating('detect', { 'shot_changes.rule': 'the change of small pictures' }),
    'media_operation: further[0]',
  ],
  'silence over other samples': [
    at('detect', 1, (silence) =>
      changed(silence, ({ input }) => ({
        input: {
          ...input,
          derivedAudio: { sampleRate: 16000, samples: 1, contentId: `sha256:${'e'.repeat(64)}` },
        },
      })),
    ),
    'evidence: input.derivedAudio',
  ],
  'facts that are not counted': [
    at('detect', 1, (silence) => changed(silence, (artifact) => firstFact(artifact, { index: 1 }))),
    'evidence: facts[0].index',
  ],
  'loudness of a part': [
    at('detect', 2, (loudness) => changed(loudness, (artifact) => firstFact(artifact, { endMs: 1000 }))),
    'evidence: facts[0].endMs',
  ],
  'loudness twice': [
    at('detect', 2, (loudness) => changed(loudness, ({ facts }) => ({ facts: [...facts, ...facts] }))),
    'evidence: facts',
  ],
  'a text track that is gone': [
    list('subtitles', ([first, , language]) => [first, language].flatMap((each) => each ?? [])),
    'media_operation: tracks[1]',
  ],
  'no text at all': [
    list('subtitles', ([first, , language]) =>
      [first, language].map((each) => without(each, 'no_text_subtitle_track')),
    ),
    'media_operation: tracks[0]',
  ],
  'a text track that is said not to be read, whose codec is': [
    list('subtitles', (all) =>
      all.map((each, place) => (place % 2 === 0 ? without(each, 'subtitle_format_unsupported', 2) : each)),
    ),
    'media_operation: receipt.evidence[0].reasonCode',
  ],
  'text tracks in another order': [
    list('subtitles', ([first, second, ...languages]) =>
      [second, first, ...languages.toReversed()].flatMap((each) => each ?? []),
    ),
    'media_operation: tracks[0]',
  ],
  'cues of another track than their language': [
    list('subtitles', ([first, second, ...languages]) =>
      [first, second, ...languages.toReversed()].flatMap((each) => each ?? []),
    ),
    'media_operation: receipt.evidence[2]',
  ],
  'a language of another track': [
    at('subtitles', 2, (language) => changed(language, (artifact) => firstFact(artifact, { trackIndex: 4 }))),
    'evidence: facts[0].trackIndex',
  ],
  'a language that its container does not state': [
    at('subtitles', 2, (language) => changed(language, (artifact) => firstFact(artifact, { taggedLanguage: 'fr' }))),
    'evidence: facts[0].taggedLanguage',
  ],
  'a language that no method found': [
    at('subtitles', 2, (language) => changed(language, (artifact) => firstFact(artifact, { method: 'none' }))),
    'evidence: facts[0].method',
  ],
  'languages of cues that are not there': [
    at('subtitles', 2, (language) => changed(language, (artifact) => firstFact(artifact, { cueCodes: ['ko'] }))),
    'evidence: facts[0].cueCodes',
  ],
  'a list of tracks that its source does not have': [
    stating('subtitles', { tracks: '2:mov_text:ko' }),
    'media_operation: parameters.tracks',
  ],
  'cues in a track of sound': [at('subtitles', 0, (cues) => changed(cues, inTrack(1))), 'evidence: input.trackIndex'],
};

for (const [title, [forge, place]] of Object.entries(forgeries)) {
  test(`a forger who makes everything follow from ${title} is found out`, async (t) => {
    t.is(await foundOut(forge), place);
  });
}

test('what no forger touched holds, with sound and without', async (t) => {
  t.is(await foundOut(() => ({})), null);
  t.is(await foundOut(() => ({}), { ...shape, windows: null }), null);
});
