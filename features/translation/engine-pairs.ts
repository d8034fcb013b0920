import type { LineTranslator } from '../../actors/engines/engine-choices.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { lineOfStream } from '../../rules/translation/program-lines.ts';
import type { ProgramTranslator, SettingValues } from '../feature.ts';
import { installedPair, type PairName, pairNames } from './engine/apertium-pairs.ts';
import { ApertiumPipe } from './engine/apertium-pipe.ts';
import { modelFlag, onceFlag, pairFlag } from './options.ts';

/** A pair of Apertium for a trial. Marks are no part of a text, and a line with unknown words still has one. */
function lineTranslator(
  { mode, from, to }: PairName,
  environment: Environment,
  machine: Parameters<ProgramTranslator['lines']>[0],
): LineTranslator {
  let pipe: ApertiumPipe | null = null;
  return {
    from,
    to,
    asksPerLine: 1,
    translate: async (lines) => {
      pipe ??= new ApertiumPipe(installedPair(mode, environment), machine);
      const translations: (string | null)[] = [];
      for (const line of lines) {
        const answer = await pipe.translated(line);
        translations.push(answer === null ? null : (lineOfStream(answer, line)?.text ?? null));
      }
      return { translations, outputTokens: null, isSchemaKept: null, isThinking: null };
    },
    close: async () => pipe?.close(),
  };
}

/** The pairs that settings name. */
const pairsIn = ({ [pairFlag]: named }: SettingValues): readonly string[] => (Array.isArray(named) ? named : []);

/** The pairs of Apertium on this machine, as `media-study engines` tries and chooses them. */
export const apertiumTranslators = (environment: Environment): readonly ProgramTranslator[] =>
  pairNames(environment).map((pair) => {
    const { mode, from, to, variety } = pair;
    const target = variety === null ? to : `${to}-${variety.replaceAll('_', '-')}`;
    return {
      name: `apertium-${mode}`,
      from,
      to: target,
      text: `translates from ${from} to ${target} by rules and dictionaries on this machine`,
      identity: () => {
        const { identity, configuration } = installedPair(mode, environment);
        const bytes = configuration.files.reduce((sum, file) => sum + file.bytes, 0);
        return { configurationContentId: identity.configurationContentId, bytes };
      },
      lines: (machine) => lineTranslator(pair, environment, machine),
      isUsed: (settings) => pairsIn(settings).includes(mode),
      settingsWith: (settings) => ({
        set: { [pairFlag]: [...new Set([...pairsIn(settings), mode])] },
        // One of the two translates.
        unset: [modelFlag, onceFlag].filter((name) => name in settings),
      }),
      settingsWithout: (settings) => {
        const others = pairsIn(settings).filter((each) => each !== mode);
        return others.length === 0 ? { set: {}, unset: [pairFlag] } : { set: { [pairFlag]: others }, unset: [] };
      },
    };
  });
