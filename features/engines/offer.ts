import { parseFlags } from '../../options/flags.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import type { CommandParts, Feature, LackedEngine, ObtainableEngine } from '../feature.ts';
import { type AddPlan, planOf } from './add-engine.ts';
import { catalogueOf, mirrorOf } from './catalogue.ts';
import { add, use } from './command.ts';
import { EngineRefusal, remedyOf } from './engine-refusal.ts';
import { changingInstallations, cleanUnfinished, type Installation, installations } from './installation.ts';
import { enginesWords } from './options.ts';
import { estimatedSeconds, type Machine, recommended, thisMachine } from './recommended.ts';

/** The speed of a network for the time of a download, in bytes a second: 20 Mbit/s. */
const networkBytes = 2.5e6;

/** A time for people, rounded up: `15 s`, `3 min`. */
const roughly = (seconds: number): string =>
  seconds < 50 ? `${Math.max(5, 5 * Math.ceil(seconds / 5))} s` : `${Math.ceil(seconds / 60)} min`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** The name of the server of an address. */
const serverOf = (url: string): string => new URL(url).host;

/** What a person reads before they agree. */
function fetchedSentences(
  { name, published, fetched, program }: AddPlan,
  { filmMs }: LackedEngine,
  machine: Machine,
): readonly string[] {
  const bytes = fetched.reduce((sum, { file }) => sum + file.bytes, 0);
  const files = fetched.map(({ url, file }) => `${file.file} (${megabytes(file.bytes)}) from ${serverOf(url)}`);
  const film = published === null ? null : (estimatedSeconds(published, machine) * filmMs) / 1000;
  const here = program.kind === 'here' ? ` The program is ${program.path}.` : '';
  const speed = film === null ? '' : ` If people speak all the time, the film then takes about ${roughly(film)}.`;
  return [
    `Its speech can be recognized on this machine, and nothing is sent: ${name} (Whisper, run by whisper.cpp) fits this machine.`,
    `${megabytes(bytes)} are fetched: ${files.join(' and ')}. The digest of each file is checked.${here}`,
    `The download takes about ${roughly(bytes / networkBytes)} at 20 Mbit/s, and a trial less than a minute.${speed}`,
  ];
}

/** An engine that was added earlier, and serves the language. */
async function addedBefore(engines: string): Promise<Installation | null> {
  const all = await installations(engines);
  return all.toSorted((one, other) => other.model.bytes - one.model.bytes)[0] ?? null;
}

/** The refusals of the command with their remedies, for another command. */
async function withRemedies(parts: CommandParts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw new Error(`${error.message}; ${remedyOf(error, parts.terminal.typed)}`, { cause: error });
  }
}

/** The way to an engine that a film lacks: one that is installed, or else the one of the catalogue that fits. Null for none. */
export async function obtainableEngine(
  lacked: LackedEngine,
  features: readonly Feature[],
  given: CommandParts,
): Promise<ObtainableEngine | null> {
  const { settings } = given;
  const { environment } = await settings.configured();
  const { engines } = dataRootAt(settings.dataRoot);
  // A result would be that of the calling command.
  const terminal = {
    ...given.terminal,
    result: (_: unknown, lines: readonly string[]) => {
      for (const line of lines) given.terminal.remark(line);
    },
  };
  const callOf = (words: readonly string[], signal: AbortSignal) => {
    const flags = parseFlags(words, enginesWords().flags, 2);
    return { settings, terminal, features, engines, signal, given: flags, names: flags.positional.slice(1) };
  };
  const before = await addedBefore(engines);
  if (before !== null) {
    const words = ['use', before.name];
    return {
      sentences: [`${before.name} is installed on this machine, and not in use. It sends nothing.`],
      isFetched: false,
      command: ['engines', ...words].join(' '),
      get: (signal) => withRemedies(given, () => changingInstallations(engines, () => use(callOf(words, signal)))),
    };
  }
  const machine = thisMachine();
  const engine = recommended(await catalogueOf(environment), lacked.language, machine);
  if (engine === null) return null;
  const request = { name: engine.name, from: null, program: null, origin: mirrorOf(environment) };
  const plan = await planOf(request, environment).catch(() => null);
  if (plan === null) return null;
  const words = ['add', engine.name, '--yes'];
  return {
    sentences: fetchedSentences(plan, lacked, machine),
    isFetched: true,
    command: ['engines', ...words].join(' '),
    get: (signal) =>
      withRemedies(given, async () => {
        await cleanUnfinished(engines);
        await changingInstallations(engines, () => add(callOf(words, signal)));
      }),
  };
}
