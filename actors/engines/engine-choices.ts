import type { CaptionClassification } from '../../contract/captions/caption-line.ts';
import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import type { ChosenTranslator } from '../captions/caption-translations.ts';

/** The permissions of a host, beside the executors that its settings name. */
export interface HostPermissions {
  /** Speech may be recognized: by the wish of a study, or for the method of captions. */
  readonly recognition: boolean;
  /** The base addresses of servers that text or sound may be sent to, exactly as the host has them. */
  readonly servers: readonly string[];
  /** The fixed texts of the test seam may be made. */
  readonly testSeam: boolean;
}

export const noPermissions: HostPermissions = { recognition: false, servers: [], testSeam: false };

/**
 * The engines that the settings of a host name, and what they may do. A change of settings replaces all of it at once; what was begun
 * goes on with the engine that it began with.
 */
export interface EngineChoices {
  /** Null if no recognizer is named. */
  readonly recognizer: RecognizerChoice | null;
  /** True if every study recognizes its speech; otherwise only those that wish it, or whose captions need it. */
  readonly recognizesEveryStudy: boolean;
  /** True if each stretch of speech is recognized a second time. */
  readonly recognizesTwice: boolean;
  /** Null if no model that translates is named. */
  readonly translator: ChosenTranslator | null;
  /** How captions of productions without a method are made. */
  readonly captions: { readonly classification: CaptionClassification; readonly subtitlesFirst: boolean };
  readonly permissions: HostPermissions;
}
