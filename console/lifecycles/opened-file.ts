import { createMachine } from 'xstate';
import type { BundleManifest, BundleStatement, SignedEnvelope } from '../../contract/exports.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import type { ActorTransitions } from '../../contract/lifecycles/actors.ts';
import type { Chart, DrawnChart } from '../../contract/lifecycles/charts.ts';
import { chartOf } from '../../machines/machine-chart.ts';
import {
  bytesOf,
  type Check,
  canonicalText,
  chainDigest,
  equal,
  hexOf,
  sha256,
  unchecked,
} from '../verification/checks.ts';
import { sandbox } from './sandbox.ts';

/** Why a file cannot be shown: what is wrong with it, and what would be right. */
class FileError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FileError';
    this.hint = hint;
  }
}

const blockBytes = 512;
/** A bundle at all its limits has a few hundred. */
const mostEntries = 10_000;
const hint = 'Give a bundle as a host exports it: media-study export with --bundle, or the download of its study';

/** The files of an archive by their names. Nothing of their content is read yet. */
type Archive = ReadonlyMap<string, Blob>;

const textAt = (header: Uint8Array, from: number, length: number): string =>
  new TextDecoder('latin1').decode(header.subarray(from, from + length)).replace(/\0[\s\S]*$/, '');

/** Reads the headers of a tar archive (POSIX ustar, regular files). Throws `FileError`. */
export async function unpackBundle(file: Blob): Promise<Archive> {
  const entries = new Map<string, Blob>();
  for (let position = 0; position + blockBytes <= file.size; ) {
    const header = new Uint8Array(await file.slice(position, position + blockBytes).arrayBuffer());
    if (header.every((byte) => byte === 0)) return entries;
    const name = textAt(header, 0, 100);
    const size = textAt(header, 124, 12);
    if (textAt(header, 257, 5) !== 'ustar' || name === '' || !/^[0-7]+ ?$/.test(size)) {
      throw new FileError('this file is no archive of the kind that a host writes', hint);
    }
    const bytes = Number.parseInt(size, 8);
    const start = position + blockBytes;
    if (start + bytes > file.size) throw new FileError('the archive ends in the middle of a file', hint);
    if (entries.has(name) || entries.size === mostEntries) throw new FileError('the archive repeats its files', hint);
    entries.set(name, file.slice(start, start + bytes));
    position = start + Math.ceil(bytes / blockBytes) * blockBytes;
  }
  throw new FileError('the archive has no end', hint);
}

/** Media that is larger is not read into the memory of a page. */
const mostBytes = 512 * 1024 * 1024;

/** What a bundle says of its study. */
interface OpenedBundle {
  readonly manifest: BundleManifest;
  readonly events: readonly JournalEvent[];
  readonly lifecycle: string;
  readonly reason: { readonly code: string; readonly message: string } | null;
}

const textIn = async (archive: Archive, name: string): Promise<string> => {
  const file = archive.get(name);
  if (file === undefined) throw new FileError(`the archive has no ${name}`, 'Give a whole bundle of a study');
  return await file.text();
};

const jsonIn = async (archive: Archive, name: string): Promise<unknown> => JSON.parse(await textIn(archive, name));

/** Reads the study of a bundle. Throws `FileError`. */
async function readBundle(archive: Archive): Promise<OpenedBundle> {
  try {
    const manifest = (await jsonIn(archive, 'manifest.json')) as BundleManifest;
    const rows = (await jsonIn(archive, 'rows.json')) as Pick<OpenedBundle, 'lifecycle' | 'reason'>;
    const lines = (await textIn(archive, 'journal.jsonl')).split('\n').filter((line) => line !== '');
    if (manifest.schema !== 'studio.runtime-bundle.v1') throw new Error(`its schema is ${manifest.schema}`);
    return { manifest, events: lines.map((line) => JSON.parse(line)), lifecycle: rows.lifecycle, reason: rows.reason };
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(
      `this bundle cannot be read: ${error instanceof Error ? error.message : error}`,
      'Verify it with npm run verify, which says where it is damaged',
      error,
    );
  }
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** What a DSSE signature is over. */
function signedBytes({ payloadType, payload }: SignedEnvelope): Uint8Array<ArrayBuffer> {
  const body = fromBase64(payload);
  const head = bytesOf(`DSSEv1 ${bytesOf(payloadType).length} ${payloadType} ${body.length} `);
  const all = new Uint8Array(head.length + body.length);
  all.set(head);
  all.set(body, head.length);
  return all;
}

async function signatureChecks(archive: Archive, { manifest }: OpenedBundle): Promise<readonly Check[]> {
  const what = 'Signature';
  const envelope = (await jsonIn(archive, 'signature.json')) as SignedEnvelope;
  const pem = await textIn(archive, 'signing-key.pem');
  const der = fromBase64(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
  const keyId = `sha256:${hexOf(await sha256(der))}`;
  const statement: BundleStatement = JSON.parse(new TextDecoder().decode(fromBase64(envelope.payload)));
  const stated = Object.fromEntries(statement.subject.map(({ name, digest }) => [name, `sha256:${digest.sha256}`]));
  const manifestId = `sha256:${hexOf(await sha256(bytesOf(await textIn(archive, 'manifest.json'))))}`;
  const listed = Object.fromEntries([
    ['manifest.json', manifestId],
    ...manifest.files.map(({ path, contentId }) => [path, contentId]),
  ]);
  const about = equal('Statement', canonicalText(stated), canonicalText(listed), 'it names every file by its digest');
  const signature = envelope.signatures[0];
  let key: CryptoKey;
  try {
    key = await crypto.subtle.importKey('spki', der, 'Ed25519', false, ['verify']);
  } catch {
    return [about, unchecked(what, 'this browser has no Ed25519; npm run verify checks it')];
  }
  const isSigned = await crypto.subtle.verify('Ed25519', key, fromBase64(signature.sig), signedBytes(envelope));
  const words = `by the key ${keyId}, which is in the bundle itself: compare it with that of the host`;
  return [
    about,
    equal('Key', keyId, signature.keyid, 'the digest of the key in the bundle is the one that the signature names'),
    isSigned ? { outcome: 'agrees', what, words } : { outcome: 'differs', what, words: 'it is not by this key' },
  ];
}

async function fileChecks(archive: Archive, { manifest }: OpenedBundle): Promise<readonly Check[]> {
  const checks: Check[] = [];
  let agreed = 0;
  for (const { path, contentId } of manifest.files) {
    const file = archive.get(path);
    if (file === undefined) checks.push({ outcome: 'differs', what: path, words: 'it is not in the archive' });
    else if (file.size > mostBytes) checks.push(unchecked(path, 'it is too large for the memory of a page'));
    else {
      const check = equal(path, `sha256:${hexOf(await sha256(await file.arrayBuffer()))}`, contentId, 'its digest');
      if (check.outcome === 'agrees') agreed += 1;
      else checks.push(check);
    }
  }
  return agreed === 0
    ? checks
    : [{ outcome: 'agrees', what: 'Files', words: `${agreed} files have the digests of the manifest` }, ...checks];
}

/** Computes every digest of a bundle, the chain of its journal and its signature anew, in the page. */
async function bundleChecks(archive: Archive, bundle: OpenedBundle): Promise<readonly Check[]> {
  const { manifest, events } = bundle;
  const chain = await chainDigest(manifest.runtimeId, events);
  return [
    ...(await fileChecks(archive, bundle)),
    equal('Journal chain', chain, manifest.journalHead.digest, `${events.length} events linked by SHA-256`),
    ...(await signatureChecks(archive, bundle)),
    unchecked('Records', 'whether they follow from each other is what npm run verify derives again'),
  ];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const machineHint =
  'Give the configuration of an XState 5 machine as JSON, what its toJSON() gives, or a chart that was saved here';

/** A chart that this console or a host wrote. */
function savedChart(value: Json): Chart | null {
  const chart = value.schema === 'studio.drawn-chart.v1' ? value.chart : value;
  if (!isObject(chart) || chart.schema !== 'studio.chart.v1') return null;
  if (!isObject(chart.root) || !Array.isArray(chart.root.states) || !Array.isArray(chart.mainWay)) {
    throw new FileError('the chart in this file is not whole', machineHint);
  }
  return chart as unknown as Chart;
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/**
 * What `toJSON()` of a machine gives, as a configuration: there the initial state is a transition, and every state has its
 * transitions a second time. XState leaves out those without an event there.
 */
function configOf(state: Json): Json {
  const { initial, states, transitions: _, key: __, ...rest } = state;
  return {
    ...rest,
    ...(initial !== undefined && { initial: isObject(initial) ? localName(first(initial.target)) : initial }),
    ...(isObject(states) && {
      states: Object.fromEntries(
        Object.entries(states).map(([name, inner]) => [name, isObject(inner) ? configOf(inner) : inner]),
      ),
    }),
  };
}

/** `#light.red.walk` names the child `walk`. */
const localName = (target: unknown): unknown =>
  typeof target === 'string' && target.startsWith('#') ? target.slice(target.lastIndexOf('.') + 1) : target;

/** Reads a machine from JSON. Throws `FileError`. */
export function chartFromJson(text: string): Chart {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileError('this file is no JSON', machineHint, error);
  }
  if (!isObject(value)) throw new FileError('this file holds no machine', machineHint);
  const saved = savedChart(value);
  if (saved !== null) return saved;
  if (!isObject(value.states)) throw new FileError('this file holds no states', machineHint);
  try {
    // The meta data of a foreign machine is its own; a chart would look there for its main way.
    const { meta: _, ...config } = configOf(value);
    return chartOf(createMachine({ id: 'machine', ...config }));
  } catch (error) {
    throw new FileError(
      `XState does not take this machine: ${error instanceof Error ? error.message : error}`,
      machineHint,
      error,
    );
  }
}

type Type = JournalEvent['type'];

/** The end of each effect of a study, by the event of the journal that is written with it; the last one of its type counts. */
const endings: readonly (readonly [effect: string, type: Type, which: 'first' | 'second' | 'last'])[] = [
  ['initialize', 'executor.started', 'first'],
  ['detect', 'media.operation_completed', 'first'],
  ['subtitles', 'media.operation_completed', 'second'],
  ['recognize', 'semantic.evidence_completed', 'last'],
  ['readScreen', 'screen.text_completed', 'last'],
  ['read', 'evidence.read_completed', 'last'],
  ['assess', 'analysis.evidence.assessment_completed', 'last'],
  ['decide', 'analysis.evidence.decision_completed', 'last'],
  ['admit', 'publish.review.intake_completed', 'last'],
];

/** Guards of the chart that the journal answers: the effect that they lead to has begun. */
const shownBy: Readonly<Record<string, Type>> = {
  recognizes: 'semantic.evidence_started',
  readsScreen: 'screen.text_started',
  hasClaims: 'analysis.evidence.decision_started',
};

const endOf = (
  events: readonly JournalEvent[],
  type: Type,
  which: 'first' | 'second' | 'last',
): JournalEvent | undefined => {
  const found = events.filter((event) => event.type === type);
  return which === 'last' ? found.at(-1) : found[which === 'first' ? 0 : 1];
};

/** The time of the commit that holds an event: its events have consecutive milliseconds, and the first has the time. */
function commitTime(events: readonly JournalEvent[], event: JournalEvent): string {
  let first = event;
  for (let at = events.indexOf(event) - 1; at >= 0; at -= 1) {
    const before = events[at];
    if (before === undefined || Date.parse(first.recordedAt) - Date.parse(before.recordedAt) !== 1) break;
    first = before;
  }
  return first.recordedAt;
}

/**
 * The way of a study through its chart, as far as its journal tells it: a bundle has the journal, not the transitions. The pure
 * machine says where each end of an effect leads. How long the study waited before it began is in no journal.
 */
export function pathOfJournal(
  chart: Chart,
  events: readonly JournalEvent[],
  lifecycle: string,
): ActorTransitions['transitions'] {
  const begun = events[0]?.recordedAt;
  if (begun === undefined) return [];
  const { store, possible } = sandbox(chart);
  const way: ActorTransitions['transitions'] = [];
  const now = () => store.getSnapshot().context.standings.at(-1);
  const note = (event: string | null, at: string): void => {
    const standing = now();
    if (standing === undefined) return;
    const { value } = standing.snapshot;
    way.push({ seq: way.length + 1, cause: 'event', event, value, states: [...standing.states], at, commit: 0 });
  };
  const go = (event: string, at: string): void => {
    const standing = now();
    const choices = standing === undefined ? [] : possible(standing).filter((each) => each.transition.event === event);
    const choice = choices.find(({ transition: { guard } }) => {
      if (guard === null) return true;
      const type = shownBy[guard];
      return type !== undefined && events.some((each) => each.type === type);
    });
    if (choice === undefined) return;
    store.send({ type: 'chose', choice });
    note(event, at);
  };
  note('xstate.init', begun);
  go('worker.granted', begun);
  for (const [effect, type, which] of endings) {
    const end = endOf(events, type, which);
    if (end !== undefined) go(`xstate.done.actor.${effect}`, commitTime(events, end));
  }
  // What else led to an end, the journal says in words, not as an event of the chart.
  const end = `${chart.root.id}.${lifecycle}`;
  const at = endOf(events, 'executor.finished', 'last')?.recordedAt ?? events.at(-1)?.recordedAt ?? begun;
  if (now()?.states[0] !== end) {
    way.push({ seq: way.length + 1, cause: 'event', event: null, value: lifecycle, states: [end], at, commit: 0 });
  }
  return way;
}

/** A machine is text, and a person wrote it. */
const mostMachineBytes = 4 * 1024 * 1024;
/** The engine tries so many arrangements, so that a person waits a second and not ten. */
const arrangements = 2;

export type OpenedFile =
  | { readonly kind: 'machine'; readonly drawn: DrawnChart }
  | {
      readonly kind: 'bundle';
      readonly drawn: DrawnChart;
      readonly bundle: OpenedBundle;
      readonly path: ActorTransitions['transitions'];
      readonly checks: readonly Check[];
    };

/** Places a chart in this page. The engine is loaded now, from the host that served the page. */
async function drawnHere(chart: Chart): Promise<DrawnChart> {
  const { layoutOf } = await import('../../visualizer/drawing/layout.ts');
  try {
    return { schema: 'studio.drawn-chart.v1', chart, drawing: await layoutOf(chart, arrangements) };
  } catch (error) {
    throw new FileError(
      'the chart in this file cannot be drawn',
      'Look whether all its states and targets are there',
      error,
    );
  }
}

/** Opens a file of a person: a machine as JSON, or the bundle of a study. `chartOfStudies` is read for a bundle. */
export async function openFile(file: File, chartOfStudies: () => Promise<Chart>): Promise<OpenedFile> {
  const start = new Uint8Array(await file.slice(0, 512).arrayBuffer());
  const isArchive = new TextDecoder('latin1').decode(start.subarray(257, 262)) === 'ustar';
  if (!isArchive) {
    if (file.size > mostMachineBytes) {
      throw new FileError('this file is too large for a machine', 'Give a machine as JSON, or the bundle of a study');
    }
    return { kind: 'machine', drawn: await drawnHere(chartFromJson(await file.text())) };
  }
  const archive = await unpackBundle(file);
  const bundle = await readBundle(archive);
  const chart = await chartOfStudies();
  return {
    kind: 'bundle',
    drawn: await drawnHere(chart),
    bundle,
    path: pathOfJournal(chart, bundle.events, bundle.lifecycle),
    checks: await bundleChecks(archive, bundle),
  };
}
