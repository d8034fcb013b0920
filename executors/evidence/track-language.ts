import { setImmediate } from 'node:timers/promises';
import type { TrackLanguageFact } from '../../contract/evidence/evidence.ts';
import type { Detector } from '../detector/detector.ts';
import { languageOfBlocks, languageOfCue, type TrackChoice } from './language-choice.ts';
import { languageBlocks, languageOfScripts, type ScriptCounts, scriptCounts, sumOfCounts } from './text-language.ts';

// How many texts are looked at before the host does something else.
const TEXTS_AT_ONCE = 128;

async function countedScripts(texts: readonly string[]): Promise<ScriptCounts[]> {
  const counts: ScriptCounts[] = [];
  for (const text of texts) {
    counts.push(scriptCounts(text));
    if (counts.length % TEXTS_AT_ONCE === 0) await setImmediate();
  }
  return counts;
}

/**
 * The language of one track's texts. The script decides where it can, the identifier where it cannot and is sure. The language of
 * the track is the hint for each cue; without one a cue has a language where it is sure by itself. Rejects with `ProcessFailure`
 * or `DetectionFailure`.
 */
export async function trackLanguageOf(
  detector: Pick<Detector, 'identify'>,
  track: { readonly index: number; readonly language: string | null },
  texts: readonly string[],
  signal: AbortSignal,
): Promise<TrackLanguageFact> {
  const counts = await countedScripts(texts);
  const script = languageOfScripts(sumOfCounts(counts));
  const byScript = counts.map(languageOfScripts);
  const open = texts.filter((_text, at) => byScript[at] === null);
  const blocks = script === null ? languageBlocks(texts) : [];
  const identified = open.length + blocks.length === 0 ? [] : await detector.identify([...blocks, ...open], signal);
  const choice: TrackChoice =
    script === null ? languageOfBlocks(texts, blocks, identified) : { code: script, refused: null };
  const rest = identified.slice(blocks.length).values();
  const codes: (string | null)[] = [];
  for (const [at, text] of texts.entries()) {
    const code = byScript[at] ?? null;
    const next = code === null ? rest.next().value : undefined;
    codes.push(next === undefined ? code : languageOfCue(text, next, choice));
    if (codes.length % TEXTS_AT_ONCE === 0) await setImmediate();
  }
  return {
    kind: 'track_language',
    trackIndex: track.index,
    taggedLanguage: track.language,
    code: choice.code,
    method: script !== null ? 'script' : choice.code === null ? 'none' : 'ngram',
    cueCodes: codes,
  };
}

/** The language of each text as it is identified from that text alone. Rejects as `trackLanguageOf`. */
export async function languagesOfTexts(
  detector: Pick<Detector, 'identify'>,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (string | null)[]> {
  if (texts.length === 0) return [];
  return (await trackLanguageOf(detector, { index: 0, language: null }, texts, signal)).cueCodes;
}
