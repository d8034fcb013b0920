import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { failureMessage, messageOf } from '../../contract/base/errors.ts';
import { RecognitionFailure, type Recognizer, RecognizerUnavailable } from '../../executors/recognition/recognizer.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { following } from '../../formats/followed-signal.ts';
import { CaptionFailure } from '../../receipts/captions/artifact.ts';
import { missingForMethod, missingForRecognition } from '../../receipts/captions/methods.ts';
import type {
  EngineChoices,
  NamedRecognizer,
  NamedTranslator,
  RecognizerOpening,
  Translations,
  TranslatorOpening,
} from './engine-choices.ts';

/** After so many ms without use an engine is forgotten: its next use looks at its program and its model again. The number is a choice. */
export const engineIdleMs = 60_000;

/** An engine that the settings name, and what the host has found of it so far. */
export interface EngineRecord {
  /** The name of its program, or the address of its server. */
  readonly place: string;
  /** A file, a folder, or a name at the server; null for the model that a program brings along. */
  readonly model: string | null;
  /** SHA-256 in hex over the place, the model and the settings of the engine; the files are not part of it. */
  readonly digest: string;
  /** The program and the model of a recognizer, with the digests that its last opening found; empty before the first. */
  readonly tools: readonly ToolIdentity[];
  /** The end of its last use, or of an opening that failed, in epoch ms, and its failure; null before the first. */
  readonly last: { readonly atMs: number; readonly failure: string | null } | null;
}

/** The part of a record that does not change. */
type FixedRecord = Pick<EngineRecord, 'place' | 'model' | 'digest'>;

const fixedRecordOf = ({ place, model, settings }: NamedRecognizer | NamedTranslator): FixedRecord => ({
  place,
  model,
  digest: hashOf({ place, model, ...settings }),
});

/** Runs one use of an engine, and notes how it ended. The failure of a use that was given up is not noted. */
type Watch = <Result>(use: () => Promise<Result>, signal: AbortSignal) => Promise<Result>;

/** An opened engine with what the registry asks of it. */
interface Opened<Engine> {
  readonly engine: Engine;
  readonly tools: readonly ToolIdentity[];
  /** False once its program or its model is another file. */
  readonly isCurrent: () => Promise<boolean>;
}

/** One named engine: opened by its first use, once for all who ask meanwhile, and forgotten after a while without use. */
class EngineSlot<Engine> {
  readonly named: FixedRecord;
  readonly #clock: Clock;
  readonly #open: (watch: Watch) => Promise<Opened<Engine>>;
  #opened: Promise<Opened<Engine>> | null = null;
  #tools: readonly ToolIdentity[] = [];
  #last: EngineRecord['last'] = null;
  /** True if the last opening failed. */
  #isUnopened = false;
  #uses = 0;
  #idle: unknown = null;

  constructor(engine: FixedRecord, clock: Clock, open: (watch: Watch) => Promise<Opened<Engine>>) {
    this.named = engine;
    this.#clock = clock;
    this.#open = open;
  }

  get record(): EngineRecord {
    return { ...this.named, tools: this.#tools, last: this.#last };
  }

  /** Rejects with the error of its opening; the next use tries again. */
  async engine(): Promise<Engine> {
    const before = this.#opened;
    if (before !== null && !(await (await before).isCurrent())) this.#forget(before);
    this.#opened ??= this.#openOnce();
    return (await this.#opened).engine;
  }

  /** Its users go on with it. */
  forget(): void {
    this.#forget(this.#opened);
  }

  #forget(opened: Promise<Opened<Engine>> | null): void {
    if (this.#opened !== opened) return;
    this.#opened = null;
    this.#clock.clearTimeout(this.#idle);
  }

  #openOnce(): Promise<Opened<Engine>> {
    const opening = this.#kept(async () => {
      const opened = await this.#open(this.#watch);
      this.#tools = opened.tools;
      // The failure of a use stays: a server is opened without asking it.
      if (this.#isUnopened) this.#last = null;
      this.#isUnopened = false;
      return opened;
    });
    opening.catch((error: unknown) => {
      this.#isUnopened = true;
      this.#note(error);
      this.#forget(opening);
    });
    return opening;
  }

  readonly #watch: Watch = async (use, signal) => {
    try {
      const result = await this.#kept(use);
      this.#note(null);
      return result;
    } catch (error) {
      if (!signal.aborted) this.#note(error);
      throw error;
    }
  };

  #note(error: unknown): void {
    this.#last = { atMs: this.#clock.now(), failure: error === null ? null : failureMessage(messageOf(error)) };
  }

  /** Keeps the engine while it is in use, and for some time after. */
  async #kept<Result>(use: () => Promise<Result>): Promise<Result> {
    this.#uses += 1;
    this.#clock.clearTimeout(this.#idle);
    try {
      return await use();
    } finally {
      this.#uses -= 1;
      if (this.#uses === 0) this.#idle = this.#clock.setTimeout(() => this.forget(), engineIdleMs);
    }
  }
}

/** A use of a server that is under way. */
interface Sending {
  readonly isPermitted: (choices: EngineChoices) => boolean;
  /** Aborts once the permission is withdrawn. */
  readonly withdrawn: AbortController;
}

const maySendSound = (recognizer: NamedRecognizer, choices: EngineChoices): boolean =>
  missingForRecognition({ ...choices, recognizer }).length === 0;

const maySendText = (translator: NamedTranslator, choices: EngineChoices): boolean =>
  missingForMethod('subtitles-translated', { ...choices, translator }).length === 0;

const noLonger = 'the permission for this server was withdrawn';

/** A recognizer in the place of one on this machine, with the same identity. */
export type RecognizerCarrier = (recognizer: Recognizer) => Recognizer;

interface EngineRegistryOptions {
  readonly choices: EngineChoices;
  readonly clock: Clock;
  readonly opening: RecognizerOpening & TranslatorOpening;
  /** Called once a recognizer was opened. */
  readonly opened?: () => Promise<void>;
}

/**
 * The recognizer and the translator of a host. The settings name them, the first use opens them, and the start of a host touches
 * neither. A change of the settings names others for every use from then on. Work that has begun goes on with what it has, unless
 * its server is no longer permitted: nothing more is sent then.
 */
export class EngineRegistry {
  readonly #options: EngineRegistryOptions;
  #choices: EngineChoices;
  #recognizer: EngineSlot<Recognizer> | null = null;
  #translator: EngineSlot<Translations> | null = null;
  readonly #sending = new Set<Sending>();
  #carrier: RecognizerCarrier = (recognizer) => recognizer;

  constructor(options: EngineRegistryOptions) {
    this.#options = options;
    this.#choices = options.choices;
    this.use(options.choices);
  }

  /** The choices of now; a copy would miss the next change. */
  get choices(): EngineChoices {
    return this.#choices;
  }

  /** The recognizer as far as the host knows it; null if none is named. */
  get recognizerRecord(): EngineRecord | null {
    return this.#recognizer?.record ?? null;
  }

  /** The translator as far as the host knows it; null if none is named. */
  get translatorRecord(): EngineRecord | null {
    return this.#translator?.record ?? null;
  }

  /** Lets another process recognize, such as a worker. Each recognizer that is opened from now on goes through it. */
  recognizeThrough(carrier: RecognizerCarrier): void {
    this.#carrier = carrier;
  }

  /** Takes other choices. An engine that they name as before stays as it is. */
  use(choices: EngineChoices): void {
    const { recognizer, translator } = choices;
    this.#choices = choices;
    this.#recognizer = replaced(this.#recognizer, recognizer && this.#recognizerSlot(recognizer));
    this.#translator = replaced(this.#translator, translator && this.#translatorSlot(translator));
    for (const { isPermitted, withdrawn } of this.#sending) if (!isPermitted(choices)) withdrawn.abort();
  }

  /** The recognizer of now. Rejects with `RecognizerUnavailable` if it cannot be opened, and if none is named. */
  async recognizer(): Promise<Recognizer> {
    if (this.#recognizer === null) throw new RecognizerUnavailable('the settings of the host name no recognizer');
    return this.#recognizer.engine();
  }

  /** The translator of now; null if none is named. */
  async translator(): Promise<Translations | null> {
    return this.#translator?.engine() ?? null;
  }

  /** Forgets every engine, with the time after which it would be forgotten. */
  close(): void {
    this.#recognizer?.forget();
    this.#translator?.forget();
  }

  /** Runs a use of a server as long as the settings permit it. Throws `refused` once they do not. */
  async #sent<Result>(
    use: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
    isPermitted: Sending['isPermitted'],
    refused: () => Error,
  ): Promise<Result> {
    if (!isPermitted(this.#choices)) throw refused();
    const sending: Sending = { isPermitted, withdrawn: new AbortController() };
    this.#sending.add(sending);
    const { signal: end } = sending.withdrawn;
    try {
      return await following([signal, end], use);
    } catch (error) {
      throw end.aborted && !signal.aborted ? refused() : error;
    } finally {
      this.#sending.delete(sending);
    }
  }

  #recognizerSlot(choice: NamedRecognizer): EngineSlot<Recognizer> {
    const { clock, opening, opened } = this.#options;
    return new EngineSlot(fixedRecordOf(choice), clock, async (watch) => {
      const local = await choice.open(opening);
      // The host itself calls a server: another process would bring nothing.
      const found = choice.provider === undefined ? this.#carrier(local) : local;
      await opened?.();
      const used = <Result>(use: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result> => {
        const watched = (either: AbortSignal) => watch(() => use(either), either);
        if (choice.provider === undefined) return watched(signal);
        const refused = () => new RecognitionFailure('not_permitted', noLonger);
        return this.#sent(watched, signal, (now) => maySendSound(choice, now), refused);
      };
      const recognize: Recognizer['recognize'] = (sound, signal, waits) =>
        used((either) => found.recognize(sound, either, waits), signal);
      const { heardLanguage: hear } = found;
      const asked: Pick<Recognizer, 'heardLanguage'> =
        hear === undefined ? {} : { heardLanguage: (sound, signal) => used((either) => hear(sound, either), signal) };
      return { engine: { ...found, recognize, ...asked }, tools: found.tools, isCurrent: found.isCurrent ?? always };
    });
  }

  #translatorSlot(choice: NamedTranslator): EngineSlot<Translations> {
    const { clock, opening } = this.#options;
    return new EngineSlot(fixedRecordOf(choice), clock, async (watch) => {
      const found = await choice.open(opening);
      const { identity, isAbsent } = found;
      const refused = () => new CaptionFailure('translator', `not_permitted: ${noLonger}`);
      const translated: Translations['translated'] = (job, signal) =>
        this.#sent(
          (either) => watch(() => found.translated(job, either), either),
          signal,
          (now) => maySendText(choice, now),
          refused,
        );
      return { engine: { identity, isAbsent, translated }, tools: [], isCurrent: always };
    });
  }
}

const always = async (): Promise<boolean> => true;

/** The slot for a named engine: the one before it if that is for the same engine. */
function replaced<Engine>(
  before: EngineSlot<Engine> | null,
  next: EngineSlot<Engine> | null,
): EngineSlot<Engine> | null {
  if (before !== null && before.named.digest === next?.named.digest) return before;
  before?.forget();
  return next;
}
