import type { HostCommand } from '../terminal/call.ts';

/**
 * The commands that work through a running host. Each is loaded when it is called or its words are read: together they are a
 * good part of the program.
 */
const loaded = {
  caption: async () => (await import('./caption.ts')).caption,
  ingest: async () => (await import('./ingest.ts')).ingest,
  study: async () => (await import('./study.ts')).study,
  watch: async () => (await import('./studies.ts')).watch,
  cancel: async () => (await import('./studies.ts')).cancel,
  sources: async () => (await import('./sources.ts')).sources,
  subtitles: async () => (await import('./sources.ts')).subtitles,
  runtimes: async () => (await import('./studies.ts')).runtimesCommand,
  evidence: async () => (await import('./studies.ts')).evidence,
  review: async () => (await import('./review.ts')).review,
  captions: async () => (await import('./captions.ts')).captions,
  search: async () => (await import('./search.ts')).searching,
  export: async () => (await import('./exports.ts')).exporting,
  delete: async () => (await import('./deletion.ts')).deleting,
  gc: async () => (await import('./deletion.ts')).gc,
  disk: async () => (await import('./deletion.ts')).disk,
  'signing-keys': async () => (await import('./exports.ts')).printSigningKeys,
  open: async () => (await import('./console.ts')).open,
  pair: async () => (await import('./console.ts')).pair,
} as const satisfies Readonly<Record<string, () => Promise<HostCommand>>>;

type HostCommandName = keyof typeof loaded;

/** The names of the commands, in the order of the help. */
export const hostCommandNames: readonly string[] = Object.keys(loaded);

const isHostCommand = (name: string): name is HostCommandName => Object.hasOwn(loaded, name);

/** The command of a name; null if there is none. */
export const hostCommandOf = async (name: string): Promise<HostCommand | null> =>
  isHostCommand(name) ? loaded[name]() : null;

/** All commands by their names, for the help, the completions and the pages about them. */
export async function allHostCommands(): Promise<Readonly<Record<string, HostCommand>>> {
  const rows = Object.entries(loaded).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(rows));
}
