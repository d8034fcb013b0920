import type { StudyHost } from '../../client/study-host.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { MediaOperationReceipt } from '../../contract/evidence/media-operation.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import type { Judgement, RuntimeJudgements } from '../../contract/judgement.ts';
import type { Finding } from '../../contract/overview.ts';
import type { AuditedClaim, AvailableRow } from '../timeline/lanes.ts';
import { counted, size } from '../words/numbers.ts';

/** The result of one check: it agrees, it differs, or this page could not make it. */
export interface Check {
  readonly outcome: 'agrees' | 'differs' | 'unchecked';
  /** The two things that were compared. */
  readonly what: string;
  /** The basis of the result, or why the check could not be made. */
  readonly words: string;
}

/** A check of two texts that must be equal. */
const equal = (what: string, computed: string, stated: string, words: string): Check =>
  computed === stated
    ? { outcome: 'agrees', what, words }
    : { outcome: 'differs', what, words: `computed ${computed}, stated ${stated}` };

const unchecked = (what: string, words: string): Check => ({ outcome: 'unchecked', what, words });

/**
 * Canonical JSON as the host's records are hashed: no white space, keys in the order of their UTF-16 code units at every depth.
 * Written for this page alone, so that it does not repeat a fault of the host.
 */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`).join(',')}}`;
}

const encoder = new TextEncoder();

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/** SHA-256 by Web Crypto. */
const sha256 = async (bytes: Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The content id of a stored record: the digest of its canonical JSON and one newline. */
export const contentIdOf = async (record: unknown): Promise<string> =>
  `sha256:${hexOf(await sha256(bytesOf(`${canonicalText(record)}\n`)))}`;

interface Receipt {
  readonly schema: string;
  readonly receiptId: string;
}

/** The id of a receipt: the digest of everything in it but its schema and the id itself, behind the prefix of its kind. */
export async function receiptIdOf(receipt: Receipt): Promise<string> {
  const { schema: _, receiptId, ...rest } = receipt;
  const prefix = receiptId.slice(0, receiptId.lastIndexOf(':') + 1);
  return `${prefix}${hexOf(await sha256(bytesOf(canonicalText(rest))))}`;
}

/**
 * The digest of the chain after these events, from the first on, in 64 hex digits. The chain begins with the digest of the id
 * of the runtime. Each link is the digest of the link before it and the canonical JSON of the event.
 */
export async function chainDigest(runtimeId: string, events: readonly JournalEvent[]): Promise<string> {
  let link = await sha256(bytesOf(runtimeId));
  for (const event of events) {
    const body = bytesOf(canonicalText(event));
    const linked = new Uint8Array(link.length + body.length);
    linked.set(link);
    linked.set(body, link.length);
    link = await sha256(linked);
  }
  return hexOf(link);
}

/** Computes the chain of the journal again and holds it against the head that the host states. */
export async function journalChecks(
  host: StudyHost,
  runtimeId: string,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const head = await host.journalHead(runtimeId);
  if (events.length < head.seq) {
    const words = `this page holds ${events.length} of ${head.seq} events; it computes a chain only from the first to the last`;
    return [unchecked('Journal chain', words)];
  }
  const known = events.slice(0, head.seq);
  const digest = await chainDigest(runtimeId, known);
  return [
    equal('Journal chain', digest, head.sha256, `${head.seq} events linked by SHA-256, from the first to the head`),
  ];
}

/** The receipts of all reads of a journal, by their ids. */
export const readsOf = (events: readonly JournalEvent[]): ReadonlyMap<string, EvidenceReadReceipt> =>
  new Map(
    events.flatMap((event) =>
      event.type === 'evidence.read_completed' ? [[event.data.receipt.receiptId, event.data.receipt] as const] : [],
    ),
  );

/** Holds a claim against its assessment and the reads that it cites. */
export async function claimChecks(
  claim: AuditedClaim,
  operationId: string,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const assessed = events.find(
    (event) => event.type === 'analysis.evidence.assessment_completed' && event.data.operationId === operationId,
  );
  if (assessed?.type !== 'analysis.evidence.assessment_completed')
    return [unchecked('Assessment', 'the journal of this study does not hold it')];
  const { receipt, receiptContentId } = assessed.data;
  const stated = receipt.claims[claim.claimIndex];
  const { citations, ...own } = claim;
  const cited = citations.map(({ readOperationId: _, evidenceArtifactId: __, ...citation }) => citation);
  const reads = readsOf(events);
  const ofReads = await Promise.all(citations.map((citation) => readChecks(reads.get(citation.receiptId), citation)));
  return [
    equal(
      'Assessment against its content id',
      await contentIdOf(receipt),
      receiptContentId,
      'SHA-256 of its canonical JSON',
    ),
    equal(
      'Assessment against its receipt id',
      await receiptIdOf(receipt),
      receipt.receiptId,
      'its id is the digest of what it says',
    ),
    equal(
      'The claim in its assessment',
      canonicalText({ ...own, citations: cited }),
      canonicalText(stated),
      'word for word as it was assessed',
    ),
    ...ofReads.flat(),
  ];
}

async function readChecks(
  read: EvidenceReadReceipt | undefined,
  { receiptContentId, factIndexes }: AuditedClaim['citations'][number],
): Promise<readonly Check[]> {
  if (read === undefined) return [unchecked('A cited read', 'the journal of this study does not hold it')];
  const missing = factIndexes.filter((index) => read.facts[index] === undefined);
  return [
    equal('Read against its content id', await contentIdOf(read), receiptContentId, 'SHA-256 of its canonical JSON'),
    equal(
      'Read against its receipt id',
      await receiptIdOf(read),
      read.receiptId,
      'its id is the digest of what it says',
    ),
    equal(
      'Cited facts of the read',
      missing.join(', '),
      '',
      factIndexes.length === 1 ? 'it is in the read' : `all ${factIndexes.length} of them are in the read`,
    ),
  ];
}

/** The receipt of the operation that delivered an artifact; undefined for one that came with the source. */
export const operationOf = (events: readonly JournalEvent[], artifactId: string): MediaOperationReceipt | undefined =>
  events
    .flatMap((event) => (event.type === 'media.operation_completed' ? event.data.receipt : []))
    .find(({ evidence }) => evidence.some((each) => each.artifactId === artifactId));

/** The stored parts of a detection, from the answers of the host; it may have no samples. */
const storedEvidence = (
  row: AvailableRow,
  receipt: MediaOperationReceipt,
  trackIndex: number | null,
  hasAudio: boolean,
) => ({
  schema: 'studio.detected-evidence.v1',
  kind: row.kind,
  input: {
    sourceContentId: receipt.input.contentId,
    range: receipt.input.range,
    trackIndex,
    derivedAudio: hasAudio ? receipt.derivedAudio : null,
  },
  tool: row.tool,
  parameters: row.parameters,
  facts: row.facts,
});

/** The checks of evidence that no receipt of a pass over the media names; `recorded` is its content id in the journal. */
function unnamedChecks(row: AvailableRow, recorded: string | undefined): readonly Check[] {
  const bytes = 'Evidence against its content id';
  if (recorded === undefined) {
    return [unchecked(bytes, 'it came with the source, as a file that the host does not hand out whole')];
  }
  return [
    unchecked(bytes, 'this page does not put a record of this kind together; media-study verify does'),
    equal('Evidence in the journal', row.contentId, recorded, 'the journal records it under this content id'),
  ];
}

/** Holds the bytes of an object, such as a keyframe, against the content id that a fact names. */
export async function objectChecks(
  read: (contentId: string) => Promise<Blob>,
  fact: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly Check[]> {
  const { contentId, bytes } = fact ?? {};
  if (typeof contentId !== 'string') return [];
  const object = await (await read(contentId)).arrayBuffer();
  return [
    equal(
      'Object against its content id',
      `sha256:${hexOf(await sha256(object))}, ${object.byteLength} bytes`,
      `${contentId}, ${bytes} bytes`,
      `SHA-256 of the ${object.byteLength} bytes that the fact names`,
    ),
  ];
}

/** Holds one evidence against the journal: its bytes, its id, and the receipt of the operation that delivered it. */
export async function evidenceChecks(
  row: AvailableRow,
  finding: Finding | undefined,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const receipt = operationOf(events, row.artifactId);
  const recorded = events
    .flatMap((event) => (event.type === 'artifact.recorded' ? event.data.artifact : []))
    .find(({ id }) => id === row.artifactId);
  if (receipt === undefined) return unnamedChecks(row, recorded?.content.contentId);
  const track = finding?.trackIndex ?? null;
  const candidates = [true, false].map((hasAudio) => storedEvidence(row, receipt, track, hasAudio));
  const ids = await Promise.all(candidates.map(contentIdOf));
  const at = Math.max(0, ids.indexOf(row.contentId));
  const bytes = bytesOf(`${canonicalText(candidates[at])}\n`).length;
  return [
    equal(
      'Evidence against its content id',
      ids[at] ?? '',
      row.contentId,
      `SHA-256 of the canonical JSON of ${counted(row.facts.length, 'fact')}, the tool, its parameters and its input`,
    ),
    recorded === undefined
      ? unchecked('Evidence in the journal', 'the journal of this study does not record it')
      : equal(
          'Evidence in the journal',
          `${row.contentId}, ${bytes} bytes`,
          `${recorded.content.contentId}, ${recorded.content.bytes} bytes`,
          `recorded with ${bytes} bytes`,
        ),
    equal(
      'Receipt of the operation',
      await receiptIdOf(receipt),
      receipt.receiptId,
      'its id is the digest of what it says',
    ),
    unchecked(
      'The measurement itself',
      'a page has no detector; evaluation packs and another study of the same range measure again',
    ),
  ];
}

/** One check for each version of each rule set that judged records of a study: whether the host judged these again. */
export function judgementChecks({ judgements }: Pick<RuntimeJudgements, 'judgements'>): readonly Check[] {
  const named = new Map<string, { readonly judgement: Judgement; readonly records: number }>();
  for (const { judgement } of judgements) {
    const what = `Judged by ${judgement.rules.name} ${judgement.rules.version}`;
    named.set(what, { judgement, records: (named.get(what)?.records ?? 0) + 1 });
  }
  return [...named].map(
    ([
      what,
      {
        judgement: { check, present },
        records,
      },
    ]) =>
      check === 'judged_again'
        ? {
            outcome: 'agrees',
            what,
            words: `the host judged ${counted(records, 'record')} again, with the same result`,
          }
        : unchecked(
            what,
            `the host has version ${present}: it checked form, digests and chain of ${counted(records, 'record')}`,
          ),
  );
}

/** Web Crypto digests only what is in memory as a whole. */
const mostBytes = 512 * 1024 * 1024;

/** Fetches the media of a study and digests it. */
export async function mediaChecks(host: StudyHost, runtimeId: string): Promise<readonly Check[]> {
  const what = 'Media against its content id';
  const { url, grant } = await host.playbackUrl(runtimeId);
  const { bytes, contentId } = grant.source;
  if (bytes > mostBytes)
    return [
      unchecked(what, `${size(bytes)} are more than a page digests at once; the host digests them at every grant`),
    ];
  const answer = await fetch(url);
  if (!answer.ok) return [unchecked(what, `the host did not hand the media out (${answer.status})`)];
  const digest = hexOf(await sha256(await answer.arrayBuffer()));
  return [equal(what, `sha256:${digest}`, contentId, `SHA-256 of all ${size(bytes)} of the source`)];
}
