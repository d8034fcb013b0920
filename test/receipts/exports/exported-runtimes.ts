import type { ExportName } from '../../../contract/exports.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import type { TimeBaseFact } from '../../../kinds/time-base.ts';
import { type ExportOptions, exportFiles } from '../../../receipts/exports/export-catalogue.ts';
import type { VerifiedRuntime } from '../../../receipts/fold.ts';
import { captionedClip } from '../captions/captioned-studies.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { reopened } from '../reopening/reopened.ts';

export const options: ExportOptions = { side: 'target', lines: 'author', rate: '25', corrections: 'applied' };

const nasty = [
  { startMs: 0, endMs: 900, text: 'One & <i>two</i>\n{\\an8}three' },
  { startMs: 1000, endMs: 2000, text: 'An arrow --> and a \\Nbreak' },
  { startMs: 2100, endMs: 3900, text: 'Thank you' },
];
const [korean, english] = twoTracks;

type Cues = typeof nasty;

const runtimeWith = async (source: Cues | typeof korean.cues, target: Cues) => {
  const tracks = [
    { ...korean, cues: source },
    { ...english, cues: target },
  ];
  const clip = await captionedClip({ version: 1, windows: 4, tracks });
  const { runtime } = await reopened(...clip.after(...clip.made, clip.steps.checked));
  return { ...clip, accepted: runtime };
};

/** A runtime whose accepted captions look like markup in the target language. */
export const markedUpClip = () => runtimeWith(korean.cues, nasty);

/** A runtime whose accepted captions say this in both languages. */
export const captionsSaying = async (cues: Cues): Promise<VerifiedRuntime> => (await runtimeWith(cues, cues)).accepted;

/** The same runtime with captions in these languages. */
export function inLanguages(runtime: VerifiedRuntime, sourceLanguage: string, targetLanguage: string): VerifiedRuntime {
  const { execution } = runtime;
  const caption = execution?.study.tail.captions.caption ?? null;
  if (execution === null || caption === null) throw new Error('the study has captions');
  const { study } = execution;
  const input = { ...caption.artifact.body.input, sourceLanguage, targetLanguage };
  const artifact = { ...caption.artifact, body: { ...caption.artifact.body, input } };
  const captions = { ...study.tail.captions, caption: { ...caption, artifact } };
  return { ...runtime, execution: { ...execution, study: { ...study, tail: { ...study.tail, captions } } } };
}

/** The same runtime with one more evidence in its first operation. */
function withFacts(runtime: VerifiedRuntime, kind: 'shot_changes' | 'transcript', facts: readonly unknown[]) {
  const { execution } = runtime;
  if (execution === null) throw new Error('the study began');
  const { findings } = execution.study;
  const speech = findings.operations[0]?.evidence[0];
  if (speech?.artifact === undefined || speech.artifact === null) throw new Error('the study has speech');
  const more = {
    delivered: { ...speech.delivered, kind } as typeof speech.delivered,
    artifact: { ...speech.artifact, kind, facts: [...facts] },
  } as typeof speech;
  const operations = findings.operations.map((operation, at) =>
    at === 0 ? { ...operation, evidence: [...operation.evidence, more] } : operation,
  );
  return {
    ...runtime,
    execution: { ...execution, study: { ...execution.study, findings: { ...findings, operations } } },
  };
}

/** The same runtime with cuts at these times, some of them uncertain; nothing was to be seen in the stored study. */
export const cutAt = (
  runtime: VerifiedRuntime,
  times: readonly number[],
  uncertain: readonly number[] = [],
): VerifiedRuntime =>
  withFacts(
    runtime,
    'shot_changes',
    times.map((atMs, index) => ({
      ...{ kind: 'shot_change', index, atMs, scoreMilli: 500 },
      ...(uncertain.includes(atMs) ? { grade: 'uncertain' } : {}),
    })),
  );

/** The same runtime with the time base of a film; nothing was to be seen in the stored study. */
export function withTimeBase(runtime: VerifiedRuntime, fact: TimeBaseFact): VerifiedRuntime {
  const { execution } = runtime;
  if (execution === null) throw new Error('the study began');
  const { findings } = execution.study;
  const input = { sourceContentId: `sha256:${'0'.repeat(64)}`, range: { startMs: 0, endMs: 4000 }, trackIndex: 0 };
  const tool = { name: 'ffprobe', version: '7', digest: `sha256:${'1'.repeat(64)}` };
  const schema = 'studio.further-evidence.v1' as const;
  const artifact = { schema, kind: 'time_base', input, tool, parameters: {}, facts: [fact] };
  const more = { artifactId: 'artifact:time-base', contentId: `sha256:${'2'.repeat(64)}`, artifact };
  const operations = findings.operations.map((operation, at) =>
    at === 0 ? { ...operation, further: [...operation.further, more] } : operation,
  );
  return {
    ...runtime,
    execution: { ...execution, study: { ...execution.study, findings: { ...findings, operations } } },
  };
}

/** The same runtime with a transcript of these lines, a second each. */
export const recognizedSaying = (runtime: VerifiedRuntime, texts: readonly string[]): VerifiedRuntime =>
  withFacts(
    runtime,
    'transcript',
    texts.map((text, index) => ({
      ...{ kind: 'transcript_line', index, startMs: 1000 * index, endMs: 1000 * (index + 1), speaker: 'unknown', text },
      ...{ words: [], measures: { confidence: null }, outcome: 'passed' },
    })),
  );

export const textOf = (name: ExportName, runtime: VerifiedRuntime, given = options): string =>
  resultOfSteps(exportFiles[name](runtime, given)).text;
