import type { EvaluationPack, LabeledTrack } from '../../contract/evaluation.ts';
import type { SampleGold } from '../../fixtures/sample/gold.ts';

const languages = { kor: 'ko', eng: 'en' } as const;

// Pictures and sound come first in the container.
const firstTextTrack = 2;

function trackOf({ taggedLanguage, cues }: SampleGold['subtitleTracks'][number], index: number): LabeledTrack {
  const language = languages[taggedLanguage];
  return { trackIndex: firstTextTrack + index, language, cues: cues.map((cue) => ({ ...cue, language })) };
}

/** The sample as a labeled pack: its labels are those that it was built from. */
export const packOf = ({
  media,
  durationMs,
  frameRate,
  utterances,
  cutsMs,
  subtitleTracks,
}: SampleGold): EvaluationPack => ({
  schema: 'studio.evaluation-pack.v1',
  name: 'Reading room (sample)',
  rightsHolder: 'The project',
  ownershipAttested: true,
  items: [
    {
      itemId: 'reading-room',
      media,
      range: { startMs: 0, endMs: durationMs },
      labels: {
        speech: utterances.map(({ startMs, endMs }) => ({ startMs, endMs })),
        cuts: { frameRate: { numerator: frameRate, denominator: 1 }, atMs: cutsMs },
        subtitles: subtitleTracks.map(trackOf),
        captions: { sourceLanguage: languages.kor, targetLanguage: languages.eng },
      },
    },
  ],
});
