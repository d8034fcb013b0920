import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { CaptionTranslation, ProgramConfiguration } from '../../contract/captions/caption-translation.ts';
import { countText } from '../../formats/readable-numbers.ts';
import type { RepeatedTranslation, StartTrial } from '../feature.ts';
import { type InstalledPair, installedPair, PairUnavailable } from './engine/apertium-pairs.ts';
import { ApertiumPipe, PipeFailure } from './engine/apertium-pipe.ts';

/** The difference between the files of a record and those of this machine, in words. */
function differenceOf(recorded: ProgramConfiguration, { configuration }: InstalledPair): string {
  const here = new Map(configuration.files.map(({ name, digest }) => [name, digest]));
  const others = recorded.files.filter(({ name, digest }) => here.get(name) !== digest).map(({ name }) => name);
  const [first] = others;
  if (first === undefined) return `${recorded.model} runs in another way here`;
  const more = others.length > 1 ? ` and ${countText(others.length - 1, 'other file')}` : '';
  return `${recorded.model} has another ${first}${more} here`;
}

/** The answers of a program in their order. */
const answersIn = ({ asks }: CaptionTranslation) => asks.flatMap(({ answers }) => answers);

/**
 * Has every line of a translation by Apertium translated again, if this machine has the same program, libraries and language data by
 * their digests. Null for the translation of a model, which nobody can repeat.
 */
export async function repeatedTranslation(
  translation: CaptionTranslation,
  { environment, launcher }: Pick<StartTrial, 'environment' | 'launcher'>,
): Promise<RepeatedTranslation | null> {
  const { configuration, translator } = translation;
  if (configuration.schema !== 'studio.caption-translation.program.v1') return null;
  const { signal } = new AbortController();
  try {
    const pair = installedPair(configuration.mode, environment);
    if (pair.identity.configurationContentId !== translator.configurationContentId)
      return { state: 'not_here', why: differenceOf(configuration, pair) };
    const pipe = new ApertiumPipe(pair, { launcher: await launcher(), clock: systemClock, signal });
    try {
      const answers = answersIn(translation);
      for (const { lineId, source, translation: recorded } of answers) {
        if ((await pipe.translated(source)) !== recorded) return { state: 'other', lineId };
      }
      return { state: 'repeated', lines: answers.length };
    } finally {
      await pipe.close();
    }
  } catch (error) {
    if (error instanceof PairUnavailable || error instanceof PipeFailure)
      return { state: 'not_here', why: error.message };
    throw error;
  }
}
