import { isDeepStrictEqual } from 'node:util';
import { SourceInconsistent } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource, SourceFile, SourceSession } from '../../contract/sources/source-session.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultInSlices } from '../../formats/steps.ts';
import { demandDerived, EvidenceChainError, type ReportLink } from '../evidence-chain.ts';
import type { ContentFault, StoredContent } from '../stored-records.ts';
import type { SealedSourceRecords } from './sealed-record.ts';
import { registeredSourceOf } from './source-session.ts';
import { subtitleFilesIn } from './subtitle-track.ts';
import { type RecordKind, type SealedChain, verifyRecords } from './verify-source.ts';

/** Largest receipt or evidence file of a source, in bytes: what sealing and loading allow; far above that of the longest media. */
export const maximumRecordBytes = 16 * 1024 * 1024;

/** A source whose files were all read back and hold together. */
export interface VerifiedSource {
  readonly registered: RegisteredSource;
  readonly records: SealedSourceRecords;
}

/** The inputs of a reading: the files of the source, the report of each of them, and the pause for other work. */
interface SourcePorts {
  readonly content: StoredContent;
  readonly report: ReportLink;
  readonly pause: () => Promise<void> | void;
}

type PinnedKind = RegisteredSource['pinnedEvidence'][number]['kind'];

const fileOf = ({ files }: RegisteredSource, contentId: string, name: string): SourceFile => {
  const file = files.find((candidate) => candidate.contentId === contentId);
  if (file === undefined) throw new EvidenceChainError('row', `source.files: ${name}`);
  return file;
};

function demandFound<Found>(found: Found | ContentFault, name: string, contentId: string): Found {
  if (typeof found !== 'string') return found;
  throw new EvidenceChainError('source', `${name}: ${found}`, undefined, contentId);
}

/** All files of a source, read back and hashed; nothing is compared yet. Throws `EvidenceChainError`. */
export async function readChain(
  stored: RegisteredSource,
  content: StoredContent,
  report: ReportLink,
): Promise<SealedChain> {
  const { session } = stored;
  const found = (subject: string, contentId: string, bytes: number) =>
    report({ link: 'source', subject, contentId, detail: countText(bytes, 'byte') });
  const read = async (name: string, contentId: string): Promise<Uint8Array> => {
    const file = await content.sourceFile(fileOf(stored, contentId, name), maximumRecordBytes);
    const bytes = demandFound(file, name, contentId);
    demandFound(contentIdOfBytes(bytes) === contentId ? bytes : 'content', name, contentId);
    found(name, contentId, bytes.length);
    return bytes;
  };
  const pinned = (kind: PinnedKind) => stored.pinnedEvidence.find((each) => each.kind === kind)?.contentId;
  const named: Readonly<Partial<Record<RecordKind, string | undefined>>> = {
    'source-receipt': session.sourceReceipt.contentId,
    'container-probe': session.mediaProbe.contentId,
    'speech-activity': pinned('speech-activity-receipt'),
    'language-ranges': pinned('language-ranges-receipt'),
    resolution: stored.sourceKind === 'videohost_local' ? stored.provider.resolutionContentId : undefined,
  };
  const records: Record<string, Uint8Array> = {};
  for (const [kind, contentId] of Object.entries(named)) {
    if (contentId !== undefined) records[kind] = await read(kind, contentId);
  }
  const receipt = records['source-receipt'];
  const files = receipt === undefined ? [] : sealedPart(() => subtitleFilesIn(receipt));
  const subtitles = new Map<string, Uint8Array>();
  for (const { contentId } of files) subtitles.set(contentId, await read('subtitle-track', contentId));
  const { contentId } = session.source;
  const length = await content.verifiedLength(fileOf(stored, contentId, 'raw-media'));
  const bytes = demandFound(length, 'raw-media', contentId);
  found('raw-media', contentId, bytes);
  return {
    media: { contentId, bytes },
    preflight: await read('preflight', session.preflight.contentId),
    records,
    subtitles,
  };
}

function sealedPart<Part>(read: () => Part): Part {
  try {
    return read();
  } catch (error) {
    throw chainErrorOf(error);
  }
}

const chainErrorOf = (error: unknown): unknown =>
  error instanceof SourceInconsistent
    ? new EvidenceChainError('source', `${error.place}: ${error.code}`, error)
    : error;

/**
 * Reads all files of a source back and verifies them as a whole. It also verifies the registry's row, which has to be the
 * revision that a run-start record names. Throws `EvidenceChainError`.
 */
export async function reopenSource(
  stored: RegisteredSource,
  session: SourceSession,
  ports: SourcePorts,
): Promise<VerifiedSource> {
  const { content, report } = ports;
  demandDerived('row', { source: { session: stored.session } }, { source: { session } });
  const { registered, records } = knownSource(stored, content) ?? (await verifiedSource(stored, ports));
  for (const [at, { track_index: index, label, text }] of records.subtitles.entries()) {
    const judgement = records.subtitleTexts[at];
    if (judgement == null) continue;
    report({ link: 'source', subject: `text of track ${index}`, contentId: text.content_id, detail: label, judgement });
  }
  return { registered, records };
}

/** All studies of a source share what was verified of it, while its files and its row stay the same. */
function knownSource(stored: RegisteredSource, content: StoredContent): VerifiedSource | null {
  const known = content.known?.(verifiedSource, stored.session.revisionId) as VerifiedSource | undefined;
  return known !== undefined && isDeepStrictEqual(known.registered, stored) ? known : null;
}

async function verifiedSource(
  stored: RegisteredSource,
  { content, report, pause }: SourcePorts,
): Promise<VerifiedSource> {
  const chain = await readChain(stored, content, report);
  const records = await resultInSlices(verifyRecords(chain), pause).catch((error: unknown) => {
    throw chainErrorOf(error);
  });
  const registered = registeredSourceOf(records, stored.folder);
  demandDerived('row', { source: stored }, { source: registered });
  const parsed = [chain.preflight, ...Object.values(chain.records), ...(chain.subtitles?.values() ?? [])];
  const bytes = parsed.reduce((sum, { length }) => sum + length, 0);
  content.remember?.(verifiedSource, stored.session.revisionId, { registered, records }, stored.files, bytes);
  return { registered, records };
}
