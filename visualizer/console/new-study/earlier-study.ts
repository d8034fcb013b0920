import type { Waveform } from '../../../client/evidence.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';

/** What an earlier study has of a source to look at. */
export interface EarlierStudy {
  readonly runtimeId: string;
  readonly waveform: Waveform | null;
  readonly keyframes: readonly KeyframeFact[];
}

const askedStudies = 20;

/** The newest studies of a source, those of the longest range first, up to the first that has sound or pictures; null without one. */
export async function earlierStudy(host: StudyHost, sourceSessionId: string): Promise<EarlierStudy | null> {
  const { runtimes } = await host.runtimes({ sourceSessionId, lifecycle: 'terminal', limit: askedStudies });
  const lengthOf = ({ range }: (typeof runtimes)[number]): number => range.endMs - range.startMs;
  for (const { runtimeId } of runtimes.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    const [waveform, keyframes] = await Promise.all([
      host.evidenceObjects.waveform(runtimeId),
      host.evidenceObjects.keyframes(runtimeId),
    ]);
    if (waveform !== null || keyframes.length > 0) return { runtimeId, waveform, keyframes };
  }
  return null;
}
