import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostCore } from '../../actors/host-feature.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import {
  type EngineCard,
  type EngineCards,
  type EngineWork,
  type EngineWorkRequest,
  engineFailure,
  engineProgress,
  selfTestResult,
} from '../../contract/engine-work.ts';
import { programFile } from '../../options/program-file.ts';
import { type Catalogue, catalogueOf, mirrorOf } from './catalogue.ts';
import { bytesBelow, installationOf, installations, isOf } from './installation.ts';
import { estimatedSeconds, recommended, thisMachine } from './recommended.ts';

/** A command that does not end after an order to stop is killed after this time, in ms. */
const patienceMs = 5_000;

/** What the environment of a host has for its keeper or for its clients alone. */
const notForCommands = ['MEDIA_STUDY_KEPT', 'MEDIA_STUDY_HOST', 'MEDIA_STUDY_TOKEN'] as const;

/** A line as a document; undefined for one that is none. */
function documentIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The result of the self-test in a document of the command; null if it has none. */
const selfTestIn = (document: unknown): EngineWork['selfTest'] => {
  const result =
    typeof document === 'object' && document !== null && 'selfTest' in document ? document.selfTest : document;
  // The documents of a trial have its fields beside their own.
  return selfTestResult.strip().safeParse(result).data ?? null;
};

/**
 * The engines of a host, and its work on them. The process of the host fetches and tries nothing itself. It starts `media-study engines`,
 * one at a time. Only names of the catalogue and of installations are taken: whoever has its token names no program, file or server.
 */
export class EngineWorks {
  readonly #core: Pick<HostCore, 'layout' | 'engines' | 'environment' | 'clock'>;
  #work: EngineWork | null = null;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(core: Pick<HostCore, 'layout' | 'engines' | 'environment' | 'clock'>) {
    this.#core = core;
  }

  /** The engines that are here or in the catalogue, and the work of now. One is recommended for a language by its base code. */
  async cards(language = 'en'): Promise<EngineCards> {
    const { environment } = this.#core;
    const catalogue = await catalogueOf(environment).catch((): Catalogue => ({ programs: {}, engines: [] }));
    const machine = thisMachine();
    return {
      schema: 'studio.engine-cards.v1',
      recommended: recommended(catalogue, language, machine)?.name ?? null,
      engines: [...(await this.#installed()), ...(await this.#available(catalogue))],
      work: this.#work,
    };
  }

  /** Starts a command. Throws `engine_work_running`, and `unknown_engine` for a name that is not of the catalogue or not installed. */
  async begin({ act, name }: EngineWorkRequest): Promise<EngineWork> {
    if (this.#child !== null) throw new ServiceError('engine_work_running', `${this.#work?.name} is being worked on`);
    const { layout, environment, clock } = this.#core;
    const isInstalled = (await installationOf(layout.engines, name)) !== null;
    if (act === 'add') {
      const { engines } = await catalogueOf(environment).catch(() => ({ engines: [] }));
      if (isInstalled || !engines.some((each) => each.name === name))
        throw new ServiceError('unknown_engine', `${name} is ${isInstalled ? 'installed' : 'not in the catalogue'}`);
    } else if (!isInstalled) throw new ServiceError('unknown_engine', `${name} is not installed`);
    // Another request may have come first.
    if (this.#child !== null) throw new ServiceError('engine_work_running', `${this.#work?.name} is being worked on`);
    const work: EngineWork = {
      ...({ schema: 'studio.engine-work.v1', act, name, state: 'running' } as const),
      startedAt: new Date(clock.now()).toISOString(),
      ...({ step: null, done: null, total: null, failure: null, selfTest: null } as const),
    };
    this.#work = work;
    this.#run(['engines', act, name, '--json', '--data-root', layout.root, ...(act === 'add' ? ['--yes'] : [])]);
    return work;
  }

  /** Ends the command that runs, and resolves once it has ended. What it fetched stays. */
  async stop(): Promise<EngineWork | null> {
    const child = this.#child;
    if (child !== null) {
      this.#isStopping = true;
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await this.#ended;
      clearTimeout(timer);
    }
    return this.#work;
  }

  #run(args: readonly string[]): void {
    const env = { ...this.#core.environment };
    for (const name of notForCommands) delete env[name];
    const program = fileURLToPath(programFile('build/media-study.js'));
    // The channel tells the command that its host has ended, also by kill -9.
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child = child;
    this.#isStopping = false;
    let selfTest: EngineWork['selfTest'] = null;
    let failure: EngineWork['failure'] = null;
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => {
        const progress = engineProgress.safeParse(documentIn(line)).data;
        if (progress === undefined) return;
        const { step, done, total } = progress;
        this.#note({ step, done, total });
      });
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const document = documentIn(line);
        const failed = engineFailure.safeParse(document).data;
        if (failed !== undefined) failure = { code: failed.code, message: failed.message, remedy: failed.remedy };
        selfTest = selfTestIn(document) ?? selfTest;
      });
    this.#ended = new Promise((resolve) => {
      const settle = (isDone: boolean, why: string) => {
        if (this.#child !== child) return;
        this.#child = null;
        const state = isDone ? 'done' : this.#isStopping ? 'stopped' : 'failed';
        const unknown = { code: 'failed', message: why, remedy: null };
        this.#note({ state, selfTest, failure: state === 'failed' ? (failure ?? unknown) : null });
        resolve();
      };
      child.once('error', (error) => settle(false, error.message));
      child.once('close', (code, signal) => settle(code === 0, `the command ended with ${signal ?? code}`));
    });
  }

  #note(change: Partial<EngineWork>): void {
    if (this.#work !== null) this.#work = { ...this.#work, ...change };
  }

  async #installed(): Promise<readonly EngineCard[]> {
    const { layout, engines } = this.#core;
    const { recognizer } = engines.choices;
    const all = await installations(layout.engines);
    const cards = all.map(
      async (each): Promise<EngineCard> => ({
        name: each.name,
        use: each.use,
        state: isOf(each, recognizer) ? 'in_use' : 'installed',
        sends: 'nothing',
        origin: null,
        bytes: await bytesBelow(`${layout.engines}/${each.name}`),
        languages: each.languages,
        memoryBytes: each.memoryBytes,
        secondsPerSecond: each.selfTest.secondsPerSecond,
        selfTest: each.selfTest,
      }),
    );
    const isOther = recognizer !== null && !all.some((each) => isOf(each, recognizer));
    const other: readonly EngineCard[] = isOther
      ? [
          {
            ...({ use: 'recognizer', state: 'in_use', origin: null, bytes: null, languages: null } as const),
            ...({ memoryBytes: null, secondsPerSecond: null, selfTest: null } as const),
            name: [recognizer.engine, recognizer.model]
              .flat()
              .filter((part) => part !== null)
              .join(', '),
            sends: recognizer.provider === undefined ? 'nothing' : `the sound of speech to ${recognizer.place}`,
          },
        ]
      : [];
    return [...(await Promise.all(cards)), ...other];
  }

  async #available({ engines, programs }: Catalogue): Promise<readonly EngineCard[]> {
    const { layout, environment } = this.#core;
    const names = (await installations(layout.engines)).map(({ name }) => name);
    const program = programs[`${process.platform}-${process.arch}`];
    const machine = thisMachine();
    return engines
      .filter(({ name }) => !names.includes(name))
      .map((each) => ({
        name: each.name,
        use: 'recognizer',
        state: 'available',
        sends: 'nothing',
        origin: new URL(mirrorOf(environment) ?? each.weights.origin).host,
        bytes: each.weights.bytes + (program?.bytes ?? 0),
        languages: each.languages,
        memoryBytes: each.memoryBytes,
        secondsPerSecond: estimatedSeconds(each, machine),
        selfTest: null,
      }));
  }
}
