import type { EngineChoices, LineTranslator } from '../actors/engines/engine-choices.ts';
import type { HostFeature, OpenFeature } from '../actors/host-feature.ts';
import type { StudyHost } from '../client/study-host.ts';
import type { Clock } from '../contract/base/clock.ts';
import type { CaptionTranslation } from '../contract/captions/caption-translation.ts';
import type { HostFinding } from '../contract/operation.ts';
import type { FoundEngine, HostSetting } from '../contract/settings.ts';
import type { RuntimeRow } from '../contract/study/status.ts';
import type { HostedProvider } from '../executors/model-server/hosted-provider.ts';
import type { SandboxedLauncher } from '../executors/process/launcher.ts';
import type { Environment } from '../executors/process/tools.ts';
import type { Route } from '../http/exchange/route.ts';
import type { WireFeature } from '../http/server.ts';
import type { StreamContext } from '../http/streams/event-stream.ts';
import type { CommandWords, FlagTable, GivenFlags } from '../options/flags.ts';
import type { ExitCode } from '../options/outputs.ts';
import type { StartText } from '../options/start-text.ts';
import type { HostPermissions } from '../receipts/captions/methods.ts';

/** An open feature with its part of the wire. A feature that is off keeps its paths, and answers why it is off. */
export interface ServedFeature extends OpenFeature, WireFeature {
  /** Its fields of the line that the host prints on stdout. */
  readonly announced?: Readonly<Record<string, unknown>>;
  /**
   * Takes the options of now after a change of settings. Only those that change at once can be others than before; they agree with
   * each other. The environment names the model server of now.
   */
  readonly changed?: (given: GivenFlags, environment: Environment) => void;
}

/** A trial of what a start needs of this machine. */
export interface StartTrial {
  readonly environment: Environment;
  /** False for the settings of a room that the trial leaves out. */
  readonly isTried: (room: HostSetting['room']) => boolean;
  /** Opens a launcher of processes for this trial; the second call gets the same one. */
  readonly launcher: () => Promise<SandboxedLauncher>;
}

/** A model behind a server to which a host sends text or sound. */
export interface UsedServer {
  /** What the host wants of it, in one word. A host has one server for each use. */
  readonly use: string;
  readonly model: string;
  readonly provider: HostedProvider;
  /** The room of the settings that name it. */
  readonly room: HostSetting['room'];
  /** What it gets, as the subject of a sentence. */
  readonly sent: string;
  /** When a running host takes another one. */
  readonly change: 'at_once' | 'restart';
}

/** A feature with the options of one host. */
export interface ConfiguredFeature extends HostFeature<ServedFeature> {
  /** The engines that its options name, and what these permit. */
  readonly engines?: Partial<Omit<EngineChoices, 'permissions'>> & { readonly permissions?: Partial<HostPermissions> };
  /** The servers that it sends text or sound to. A change of settings that adds one is confirmed by a person. */
  readonly servers?: readonly UsedServer[];
  /** Lines for the log of the host at its start. */
  readonly notices?: readonly string[];
  /** The same about its engines, also after a change of settings that takes others. */
  readonly engineNotices?: readonly string[];
  /** Called before a host opens its data root. Throws `StartError` for a place that it cannot use. */
  readonly check?: () => Promise<void>;
  /** Throws what the start, or the first use, would be refused with. */
  readonly demand?: (trial: StartTrial) => Promise<void>;
  /** The engines for it that this machine has, with the settings that would use them. Asks this machine alone. */
  readonly found?: (environment: Environment) => Promise<readonly FoundEngine[]>;
}

/**
 * The options of a feature, which agree with each other. It takes the environment of the host, which may name servers and programs.
 * Throws `StartError` for what that has not, never with a key in it.
 */
export type FeatureOptions = (environment: Environment) => ConfiguredFeature;

/** A value of a setting, by the name of its option. */
export type SettingValues = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The features that settings configure, with the environment of their host. */
export interface ConfiguredSettings {
  readonly settings: SettingValues;
  readonly features: readonly ConfiguredFeature[];
  readonly environment: Environment;
}

/** The settings of a data root, for a command that changes them. */
export interface CommandSettings {
  /** The absolute path of the data root. */
  readonly dataRoot: string;
  /**
   * The features with the settings of now, or with these in their place and without those of `unset`. Writes nothing. Throws
   * `StartError` unless they agree.
   */
  configured(changes?: SettingValues, unset?: readonly string[]): Promise<ConfiguredSettings>;
  /**
   * Sets and unsets settings after the same trial as `media-study settings`. False if it was refused; the terminal has the reason
   * then, and nothing was changed. A host that runs on the data root takes the change.
   */
  change(set: SettingValues, unset?: readonly string[]): Promise<boolean>;
  /** Runs a trial with a launcher of processes, which is closed at the end. */
  withLauncher<Result>(run: (launcher: SandboxedLauncher) => Promise<Result>): Promise<Result>;
}

/** The outputs of a command and its question, as `cli/terminal` has them. */
export interface CommandTerminal {
  readonly isInteractive: boolean;
  /** The document with `--json`, else the lines. */
  result(document: unknown, lines: readonly string[]): void;
  remark(line: string): void;
  progress(line: string): void;
  /** A question of yes or no. Call it only where `isInteractive`. */
  agreed(question: string): Promise<boolean>;
  /** A command as this person types it, to be pasted: `engines add NAME` with the words before and after it. */
  typed(words: string): string;
}

/** What the program gives to a command of a feature. */
export interface CommandParts {
  readonly terminal: CommandTerminal;
  readonly settings: CommandSettings;
}

/** A kind of program with a model file that a feature uses, and the settings that name both. */
export interface ProgramEngine {
  /** The name of the executable. */
  readonly program: string;
  /** Its use, in one word. */
  readonly use: 'recognizer';
  /** The settings that use it; both are absolute paths. */
  readonly settingsOf: (files: { readonly program: string; readonly model: string }) => SettingValues;
}

/** Settings that get a value, and those that get their default back. */
interface SettingsStep {
  readonly set: SettingValues;
  readonly unset: readonly string[];
}

/** A translator of this machine that needs no server, which `media-study engines` tries and has the settings name. */
export interface ProgramTranslator {
  /** What a person types, such as `apertium-es-pt`. */
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** What it is, as a clause. */
  readonly text: string;
  /** The digest that captions name it by, and the bytes of its program and data. Throws if it is not whole. */
  readonly identity: () => { readonly configurationContentId: string; readonly bytes: number };
  /** Opens nothing before its first line. */
  readonly lines: (machine: {
    readonly launcher: SandboxedLauncher;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  }) => LineTranslator;
  readonly isUsed: (settings: SettingValues) => boolean;
  readonly settingsWith: (settings: SettingValues) => SettingsStep;
  readonly settingsWithout: (settings: SettingValues) => SettingsStep;
}

/** What a program of this machine says about a translation that it, or one of its kind, has made. */
export type RepeatedTranslation =
  /** It gave every line again, byte for byte. */
  | { readonly state: 'repeated'; readonly lines: number }
  /** This machine has not the same program with the same data. */
  | { readonly state: 'not_here'; readonly why: string }
  /** The same program with the same data answers otherwise: the record does not say what it says. */
  | { readonly state: 'other'; readonly lineId: string };

/** An engine that a command lacks for a film. */
export interface LackedEngine {
  readonly use: ProgramEngine['use'];
  /** The base code of the language of the film. */
  readonly language: string;
  /** The length of the film, in ms. */
  readonly filmMs: number;
}

/** An engine that this machine does not use yet, and the way to get it. */
export interface ObtainableEngine {
  /** What it is, what is fetched, from where, how much, and how long it takes: sentences for the person who decides. */
  readonly sentences: readonly string[];
  /** True if files are fetched from a network. */
  readonly isFetched: boolean;
  /** The words after `media-study` that do the same without a question. */
  readonly command: string;
  /** Gets it, and has the settings name it. Rejects with what happened and what to do. */
  get(signal: AbortSignal): Promise<void>;
}

/** A use of models behind a server, and the settings that name the server for it. */
export interface ServerEngine {
  readonly use: 'recognizer' | 'translator';
  /** What the server gets, as the subject of a sentence. */
  readonly sent: string;
  /** The settings that use it. `keyFile` is an absolute path, or null; `permitted` are the servers that are permitted so far. */
  readonly settingsOf: (named: {
    readonly server: string;
    readonly model: string;
    readonly keyFile: string | null;
    readonly permitted: readonly string[];
  }) => SettingValues;
  /** The settings of another server of this use, which would not fit. */
  readonly replaced: readonly string[];
}

/** A command of its own: `media-study NAME`. */
export interface FeatureCommand {
  /** The clause for the list of commands. */
  readonly row: string;
  /** `features` are those whose options it takes beside its own. */
  readonly words: (features: readonly Feature[]) => CommandWords;
  /** Runs it with the arguments after its name, and sets the exit code of the process. `partsOf` takes the flags of the call. */
  readonly run: (
    args: readonly string[],
    features: readonly Feature[],
    partsOf: (given: GivenFlags) => CommandParts,
  ) => Promise<void>;
}

/** A verb refuses a call, in words for the person who made it. The command ends with exit code 2. */
export class VerbRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VerbRefusal';
  }
}

/** A study that recognized the speech of a film. */
export interface RecognizedStudy {
  readonly runtimeId: string;
  readonly label: string;
  /** The tag of the language that is spoken. */
  readonly language: string;
}

/** A call of a verb, through a running host. */
export interface VerbCall {
  readonly given: GivenFlags;
  readonly terminal: CommandTerminal;
  readonly signal: AbortSignal;
  readonly host: StudyHost;
  /** The film as the call names it. */
  readonly film: string;
  /** The studies of that film, the newest first. Throws in words for the person if there is none, or if several films are meant. */
  studies(): Promise<readonly RuntimeRow[]>;
  /**
   * The newest study whose recognizer heard words in the film, or else a new one. A film that the host has not yet is taken in first. The
   * flag `language` names the spoken language; with the flag `again` the film is heard again. Without a recognizer it offers the ways
   * that `caption` offers. Throws in words for the person if there is none.
   */
  recognized(): Promise<RecognizedStudy>;
}

/** A verb of a command of the host: `media-study COMMAND VERB FILM`. The word is the verb only if a film follows. */
export interface HostVerb {
  readonly words: CommandWords;
  /** The name of a second argument behind the film. */
  readonly file?: string;
  /** It takes films in, also on a data root that no host has used yet. */
  readonly beginsData?: true;
  /** Checks the call before a host is found or started. Throws `VerbRefusal`. */
  readonly check?: (given: GivenFlags) => Promise<void>;
  readonly run: (call: VerbCall) => Promise<ExitCode>;
}

/** The verbs of each command, by their words. */
export type HostVerbs = Readonly<Record<string, Readonly<Record<string, HostVerb>>>>;

/** An optional capability of the program: a folder below `features/`, and a line in `features.ts`. */
export interface Feature {
  /** The name of its folder. */
  readonly name: string;
  /** Its options, by the programs that take them. */
  readonly flags?: {
    /** Of the host, of evaluations and of workers. */
    readonly engine?: FlagTable;
    /** Of the host and of evaluations. */
    readonly study?: FlagTable;
    /** Of the host alone. */
    readonly host?: FlagTable;
  };
  /** Reads its options; absent if a host has nothing of it. Throws `StartError` unless the options agree. */
  readonly options?: (given: GivenFlags) => FeatureOptions;
  /** Its paths of the wire with everything on, for their description: nothing is asked of them. */
  readonly paths?: (streams: StreamContext) => readonly Route[];
  /** Its limits for the page of them: what is limited, and to what, in Markdown. */
  readonly limits?: Readonly<Record<string, string>>;
  /** What to do about its refusals of a start, by their codes: for the page of errors. The errors carry it, too. */
  readonly remedies?: Readonly<Record<string, string | StartText>>;
  /** What `doctor` finds out of it on this machine. There is no launcher of processes if the machine refuses to open one. */
  readonly checks?: (environment: Environment, launcher: SandboxedLauncher | null) => Promise<readonly HostFinding[]>;
  readonly commands?: FeatureCommands;
  /** The translators of this machine that `media-study engines` may have the settings name. Reads names alone. */
  readonly programTranslators?: (environment: Environment) => readonly ProgramTranslator[];
  /** Repeats a translation on this machine; null for one that no program of this feature made. Rejects if the program cannot be run. */
  readonly repeatsTranslation?: (
    translation: CaptionTranslation,
    machine: Pick<StartTrial, 'environment' | 'launcher'>,
  ) => Promise<RepeatedTranslation | null>;
  /** The verbs that it adds to commands of the host. */
  readonly verbs?: HostVerbs;
  /** The kinds of programs that `media-study engines` may install for it. */
  readonly programEngines?: readonly ProgramEngine[];
  /** A way to an engine that a command lacks; null for none. Reads only. */
  readonly obtainable?: (
    lacked: LackedEngine,
    features: readonly Feature[],
    parts: CommandParts,
  ) => Promise<ObtainableEngine | null>;
  /** The uses of servers that `media-study engines` may add for it. */
  readonly serverEngines?: readonly ServerEngine[];
}

export type FeatureCommands = Readonly<Record<string, FeatureCommand>>;

/** The commands of all features by their names. */
export const commandsOf = (features: readonly Feature[]): FeatureCommands =>
  Object.fromEntries(features.flatMap(({ commands = {} }) => Object.entries(commands)));

/** The verbs that features add to a command of the host. */
export const verbsOf = (features: readonly Feature[], command: string): HostVerbs[string] =>
  Object.assign({}, ...features.map(({ verbs = {} }) => verbs[command] ?? {}));

/** The words of all verbs, by the command and the verb. */
export const verbWords = (features: readonly Feature[]): Readonly<Record<string, CommandWords>> =>
  Object.fromEntries(
    features.flatMap(({ verbs = {} }) =>
      Object.entries(verbs).flatMap(([command, own]) =>
        Object.entries(own).map(([verb, { words }]) => [`${command} ${verb}`, words] as const),
      ),
    ),
  );

/** The options of all features for the programs that take these. */
export const flagsOf = (
  features: readonly Feature[],
  programs: readonly (keyof NonNullable<Feature['flags']>)[],
): FlagTable =>
  Object.fromEntries(
    features.flatMap(({ flags = {} }) => programs.flatMap((program) => Object.entries(flags[program] ?? {}))),
  );

/** Stands for a service whose paths are described: they ask it nothing before a request comes. */
export const describedService = <Service extends object>(): Service => ({}) as Service;

/** The choices of a host with the engines that its features name. */
export function withEnginesOf(
  features: readonly Pick<ConfiguredFeature, 'engines'>[],
  choices: EngineChoices,
): EngineChoices {
  let sum = choices;
  for (const { engines: { permissions, ...named } = {} } of features) {
    sum = { ...sum, ...named, permissions: { ...sum.permissions, ...permissions } };
  }
  return sum;
}
