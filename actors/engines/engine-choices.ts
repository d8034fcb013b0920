import type { Clock } from '../../contract/base/clock.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-line.ts';
import type { RecognizerEngine } from '../../contract/recognition.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import type { HostedProvider } from '../../executors/model-server/hosted-provider.ts';
import type { Launcher } from '../../executors/process/process.ts';
import type { Environment, fileDigestOf } from '../../executors/process/tools.ts';
import type { Recognizer } from '../../executors/recognition/recognizer.ts';
import type { CaptionJob } from '../../receipts/captions/artifact.ts';
import type { HostPermissions, MethodEngines } from '../../receipts/captions/methods.ts';
import type { TranslatorIdentity } from '../../receipts/captions/prospect.ts';
import type { Ledger, Write } from '../../storage/ledger/ledger.ts';

export const noPermissions: HostPermissions = { recognition: false, servers: [], testSeam: false };

/** A job with its translation, and writes for the commit of its captions: they remove the answers that were kept until then. */
export interface TranslatedJob {
  readonly job: CaptionJob;
  readonly writes: readonly Write[];
}

/** The translator of a host, opened. */
export interface Translations {
  readonly identity: TranslatorIdentity;
  /** True if no server answers. */
  readonly isAbsent: () => Promise<boolean>;
  /** A job with its translation; unchanged if nothing has to be translated. Rejects with `CaptionFailure`. */
  translated(job: CaptionJob, signal: AbortSignal): Promise<TranslatedJob>;
}

/** Lines in, translations out: a translator as a trial asks it, before it is in use. */
export interface LineTranslator {
  /** Tags of its languages. */
  readonly from: string;
  readonly to: string;
  /** How often captions ask for each line: twice where a second answer is compared. */
  readonly asksPerLine: number;
  /** The translations in the order of the lines, null for a line without one. Rejects if it gives no answer at all. */
  translate(lines: readonly string[], signal: AbortSignal): Promise<LineAnswers>;
  /** Ends what it has started. */
  close(): Promise<void>;
}

/** The answers of a translator to some lines; null is what it cannot know. */
export interface LineAnswers {
  readonly translations: readonly (string | null)[];
  readonly outputTokens: number | null;
  /** True if the answer had the form that was asked for. */
  readonly isSchemaKept: boolean | null;
  /** True if there were thoughts before the answer. */
  readonly isThinking: boolean | null;
}

/** The parts of a process with which a recognizer is opened. */
export interface RecognizerOpening {
  readonly launcher: Launcher;
  readonly environment: Environment;
  readonly clock: Clock;
  /** The SHA-256 of a file, which may come from a memory; by default it is read. */
  readonly digestOf?: typeof fileDigestOf;
}

/** The parts of a host with which a translator is opened: `detector` identifies languages, and `ledger` keeps paid answers. */
export interface TranslatorOpening extends Pick<RecognizerOpening, 'launcher' | 'environment'> {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'getMany' | 'commit'>;
  readonly detector: Pick<Detector, 'identify'>;
}

/** An engine that the settings name. */
interface NamedEngine<Engine, Opening> {
  /** The name of its program, or the address of its server. */
  readonly place: string;
  /** A file, a folder, or a name at the server; null for the model that a program brings along. */
  readonly model: string | null;
  /** Its settings beside these: one with others is another engine. */
  readonly settings: Readonly<Record<string, string | boolean>>;
  /** Opens it. Nothing is sent before its first use. Rejects with the failure of its kind. */
  open(opening: Opening): Promise<Engine>;
}

/** A recognizer that the settings name; `provider` is its server, if it has one. */
export interface NamedRecognizer extends NamedEngine<Recognizer, RecognizerOpening> {
  readonly engine: RecognizerEngine;
  readonly provider?: HostedProvider;
  /** Base codes of the languages of its model, as its file has them now; null or absent if all that is known is its engine. */
  readonly languages?: readonly string[] | null;
}

/**
 * A translator that the settings name, with the identity that records of captions have. `provider` is its server, if it has one. One
 * that translates only some pairs of languages tells which.
 */
export interface NamedTranslator extends NamedEngine<Translations, TranslatorOpening> {
  readonly provider?: HostedProvider;
  readonly model: string;
  readonly serves?: (from: string, to: string) => boolean;
  readonly identity: TranslatorIdentity;
  /** The identities of the same server and model in earlier versions of the program. */
  readonly earlierIdentities?: readonly CaptionTranslator[];
  /** The same translator for a trial: its requests are those of captions. Sends nothing before the first line. */
  readonly lines?: (opening: Pick<TranslatorOpening, 'clock'>) => LineTranslator;
}

/**
 * The engines that the settings of a host name, and what they may do. A change of settings replaces all of it at once; what was begun
 * goes on with the engine that it began with.
 */
export interface EngineChoices extends MethodEngines {
  readonly recognizer: NamedRecognizer | null;
  readonly translator: NamedTranslator | null;
  readonly captions: Required<MethodEngines['captions']>;
}

/** The choices of a host whose settings name no engine and make no captions. */
export const noEngines: EngineChoices = {
  recognizer: null,
  recognizesEveryStudy: false,
  recognizesTwice: false,
  translator: null,
  captions: { classification: 'recorded_real_pipeline_fixture', subtitlesFirst: false },
  permissions: noPermissions,
};

/** The engines of a host as captions use them: those that the settings name now, and its translator, opened; null if they name none. */
export interface TranslatingEngines {
  readonly choices: Pick<EngineChoices, 'translator'>;
  translator(): Promise<Translations | null>;
}
