import type { EngineChoices } from '../../actors/engines/engine-choices.ts';
import { engineChoicesOf, featuresOf, serveFlags, serveOptions } from '../../cli/options/serve-options.ts';
import type { ConfiguredFeature } from '../../features/feature.ts';
import { StartError } from '../../options/failures.ts';
import { parseFlags } from '../../options/flags.ts';

/** The features of a host with these options. */
export const featuresWith = (
  flags: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): readonly ConfiguredFeature[] => featuresOf(parseFlags(flags, serveFlags), environment);

/** The engines of a host with these options. */
export const choicesWith = (flags: readonly string[], environment: NodeJS.ProcessEnv = {}): EngineChoices =>
  engineChoicesOf(serveOptions(flags), featuresWith(flags, environment));

/** How a start is refused: its exit code, its code and its message. */
export function complaintOf(start: () => unknown): string {
  try {
    start();
    return 'started';
  } catch (error) {
    if (error instanceof StartError) return `${error.exitCode} ${error.code}: ${error.message}`;
    throw error;
  }
}
