import type { StudyHost } from '../../client/study-host.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { englishName } from '../terminal/language-tag.ts';

interface CaptionLine {
  readonly startMs: number;
  readonly text: string;
}

/** The lines of one track, or of the recognized speech, with the words for it. */
interface CaptionText {
  readonly what: string;
  readonly lines: CaptionLine[];
}

/** How a person calls a kind of text. Each subtitle track has its identified language in the row of languages at its place. */
const kindNames: Readonly<Record<string, string>> = {
  subtitle_track: 'subtitle track',
  transcript: 'recognized speech',
};

/** The kinds of text that a caption executor reads; all of them if the executor is not known. */
const kindsOf = (executor: string | null): readonly string[] =>
  executor === null ? Object.keys(kindNames) : [executor.startsWith('recognized') ? 'transcript' : 'subtitle_track'];

/**
 * The texts that captions of a study will be made of, in order of time. If both languages were identified, tracks in other
 * languages are left out. `executor` is the option of the host, null if it is not known; `languages` are the tags of both sides.
 */
export async function captionLines(
  host: StudyHost,
  runtimeId: string,
  executor: string | null,
  languages: readonly string[],
): Promise<readonly CaptionText[]> {
  const wanted = languages.map(baseLanguage);
  const { evidence } = await host.evidence(runtimeId);
  const factsOf = (sought: string) => evidence.filter(({ kind }) => kind === sought).map(({ facts }) => facts);
  const identified = factsOf('text_language').map(([fact]) => (fact?.kind === 'track_language' ? fact.code : null));
  const hasEach = wanted.every((each) => identified.some((code) => code !== null && baseLanguage(code) === each));
  return kindsOf(executor).flatMap((kind) =>
    factsOf(kind).flatMap((facts, place) => {
      const lines = facts.flatMap((fact) =>
        'text' in fact && 'startMs' in fact ? [{ startMs: fact.startMs, text: fact.text }] : [],
      );
      const code = kind === 'subtitle_track' ? (identified[place] ?? null) : null;
      const what = `${kindNames[kind]}${code === null ? '' : ` in ${englishName(code)}`}`;
      const isOther = hasEach && code !== null && !wanted.includes(baseLanguage(code));
      return lines.length === 0 || isOther ? [] : [{ what, lines }];
    }),
  );
}

/** A line as a person reads it at a terminal. */
export const timedLine = ({ startMs, text }: CaptionLine): string =>
  `  ${timeCode(startMs)}  ${text.replaceAll('\n', ' / ')}`;
