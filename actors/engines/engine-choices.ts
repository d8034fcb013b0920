import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import type { HostPermissions, MethodEngines } from '../../receipts/captions/methods.ts';
import type { ChosenTranslator } from '../captions/caption-translations.ts';

export const noPermissions: HostPermissions = { recognition: false, servers: [], testSeam: false };

/**
 * The engines that the settings of a host name, and what they may do. A change of settings replaces all of it at once; what was begun
 * goes on with the engine that it began with.
 */
export interface EngineChoices extends MethodEngines {
  readonly recognizer: RecognizerChoice | null;
  readonly translator: ChosenTranslator | null;
  readonly captions: Required<MethodEngines['captions']>;
}
