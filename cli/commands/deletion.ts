import { HostError } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { GarbageCollection } from '../../contract/deletion.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { argument, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { isAgreed } from '../terminal/question.ts';
import { bytesText } from '../terminal/terminal.ts';
import { namedSource, namedStudy, sourceNamed } from './named.ts';

type Kind = 'runtime' | 'source';

const deleteFlags: FlagTable = {
  yes: toggle('deletes without asking'),
  operator: single('TEXT', null, 'who deletes, for the receipt'),
  ...hostFlags,
};

/**
 * Nothing is deleted without consent: at a terminal the person does, elsewhere --yes has to. The host first
 * checks whether it can be deleted: a person should not agree to a thing that the host refuses then.
 */
async function agreed({ host, given, terminal }: CommandCall, kind: Kind, id: string, what: string): Promise<void> {
  if (given.has('yes')) return;
  if (!terminal.isInteractive)
    throw new WrongCall(`without a terminal the deletion cannot be confirmed: add --yes to delete ${what}`);
  if (!(await canBeDeleted(host.deletions, kind, id))) return;
  terminal.remark(`${what} will be deleted permanently; only a record of the deletion remains.`);
  if (!(await isAgreed(terminal, 'Delete it?'))) throw new WrongCall('nothing was deleted');
}

/** False for what was deleted before: its receipt is the answer. Throws what would refuse the deletion. */
async function canBeDeleted(deletions: StudyHost['deletions'], kind: Kind, id: string): Promise<boolean> {
  try {
    await (kind === 'runtime' ? deletions.previewRuntime(id) : deletions.previewSource(id));
    return true;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (error.code === 'runtime_deleted' || error.code === 'source_deleted') return false;
    // A host of an earlier version has no preview.
    if (error.code === 'not_found') return true;
    throw error;
  }
}

/**
 * The id of the named item, and the label of the source if it is known. An id that is not listed goes to the host as it is, which
 * knows whether it was deleted.
 */
async function itemOf(call: CommandCall, kind: Kind, what: string) {
  if (kind === 'runtime') {
    const id = await namedStudy(call, what);
    return {
      id,
      label: await call.host.overview(id).then(
        ({ source }) => source.label,
        () => null,
      ),
    };
  }
  const source = await namedSource(call, what);
  if (source === undefined && what.startsWith('source-session:')) return { id: what, label: null };
  const { sourceSessionId: id, label } = source ?? (await sourceNamed(call, what));
  return { id, label };
}

/** The kind and the name that a call of `delete` has. Throws `WrongCall`. */
function deletedOf(given: GivenFlags) {
  const kind = argument(given, 0, 'runtime or source');
  if (kind !== 'runtime' && kind !== 'source') throw new WrongCall(`${kind}: one of runtime, source`);
  return { kind, what: argument(given, 1, 'ID') } as const;
}

/** The item that a person agrees to delete, by its label if there is one. */
const deletedWords = (kind: Kind, id: string, label: string | null): string => {
  if (label === null) return `${kind} ${id}`;
  return kind === 'source' ? `${label} (${id})` : `the study of ${label} (${id})`;
};

async function deleteForGood(call: CommandCall) {
  const { host, given, terminal } = call;
  const { kind, what } = deletedOf(given);
  const { id, label } = await itemOf(call, kind, what);
  await agreed(call, kind, id, deletedWords(kind, id, label));
  const operator = given.single('operator');
  const receipt = await host.deletions[kind](id, operator === undefined ? {} : { operator });
  const { rows, events, objects, objectBytes } = receipt.erased;
  terminal.result(receipt, [
    `deleted ${kind} ${id} at ${receipt.deletedAt}: ${countText(rows, 'row')}, ${countText(events, 'event')}, ${countText(objects, 'object')} of ${bytesText(objectBytes)}`,
    `receipt ${receipt.receiptId}`,
  ]);
  return exitCodes.done;
}

/** Deletes a runtime or a source. */
export const deleting: HostCommand = {
  usage: 'media-study delete runtime|source ID [flags]',
  purpose: 'Deletes a study that has ended, or a source that no study needs; asks first.',
  flags: deleteFlags,
  positionals: 2,
  check: async (given) => void deletedOf(given),
  run: deleteForGood,
};

const gcFlags: FlagTable = { 'dry-run': toggle('only lists what would be removed'), ...hostFlags };

const words: Readonly<Record<keyof GarbageCollection['removed'], string>> = {
  object: 'objects to which no record refers',
  quarantine: 'damaged files in quarantine',
  inbox: 'leftovers of uploads',
  work: 'leftovers of work',
};

async function removeGarbage({ host, given, terminal }: CommandCall) {
  const collection = await host.deletions.collect({ dryRun: given.has('dry-run') });
  const verb = collection.dryRun ? 'would remove' : 'removed';
  const lines = Object.entries(words).map(([kind, text]) => {
    const { [kind as keyof typeof words]: removed } = collection.removed;
    const { [kind as keyof typeof words]: kept } = collection.kept;
    const young = kept.files === 0 ? '' : `; ${kept.files} ${kept.files === 1 ? 'is' : 'are'} too young or in use`;
    return `${verb} ${countText(removed.files, 'file')}, ${bytesText(removed.bytes)}: ${text}${young}`;
  });
  terminal.result(collection, lines);
  return exitCodes.done;
}

/** Removes what no record reaches. */
export const gc: HostCommand = {
  usage: 'media-study gc [flags]',
  purpose: 'Removes the files to which no record refers; starts a host if none runs.',
  flags: gcFlags,
  beginsData: true,
  run: removeGarbage,
};

const diskFlags: FlagTable = {
  limit: single('COUNT', '20', 'how many sources and runtimes to print, the largest first'),
  ...hostFlags,
};

/** The most sources and runtimes that a call of `disk` names. Throws `WrongCall`. */
function mostOf(given: GivenFlags): number {
  const limit = Number(given.single('limit') ?? 20);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 200)
    throw new WrongCall('--limit is a number from 1 to 200');
  return limit;
}

async function showDiskUse({ host, given, terminal }: CommandCall) {
  const use = await host.deletions.diskUse({ limit: mostOf(given) });
  const { total, sources, runtimes, more } = use;
  terminal.result(use, [
    `total ${bytesText(total.bytes)}, free ${bytesText(total.freeBytes)}; for gc to remove: ${bytesText(total.unreached.bytes)}`,
    ...sources.map(({ sourceSessionId, label, media, own, shared, evidence, runtimes: count }) =>
      [
        `${sourceSessionId}  media ${bytesText(media.bytes)}, records ${bytesText(own.bytes)}`,
        `shared ${bytesText(shared.bytes)}, evidence ${bytesText(evidence.bytes)}, ${countText(count, 'runtime')}  ${label}`,
      ].join(', '),
    ),
    ...runtimes.map(({ runtimeId, journal, own, shared, evidence }) =>
      [
        `${runtimeId}  journal ${bytesText(journal.bytes)}, records ${bytesText(own.bytes)}`,
        `shared ${bytesText(shared.bytes)}, evidence ${bytesText(evidence.bytes)}`,
      ].join(', '),
    ),
    ...(more.sources + more.runtimes === 0
      ? []
      : [`and ${countText(more.sources, 'source')}, ${countText(more.runtimes, 'runtime')} more`]),
  ]);
  return exitCodes.done;
}

/** Shows what takes space. */
export const disk: HostCommand = {
  usage: 'media-study disk [flags]',
  purpose: 'Shows what takes space in the data root, by source and by runtime.',
  flags: diskFlags,
  check: async (given) => void mostOf(given),
  run: showDiskUse,
};
