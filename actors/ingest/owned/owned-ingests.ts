import { ServiceError } from '../../../contract/base/errors.ts';
import { requestFault, requestWords } from '../../../contract/base/request-fault.ts';
import { failureCauseOf } from '../../../contract/causes/stored-failures.ts';
import {
  type OwnedIngestList,
  type OwnedIngestRequest,
  type OwnedIngestRow,
  type OwnedIngestStatus,
  ownedIngestFields,
  ownedIngestRequest,
} from '../../../contract/ingest.ts';
import type { Announce } from '../../../storage/objects/object-store.ts';
import type { HostBasis } from '../../host-basis.ts';
import type { PageRequest } from '../../supervision/reads.ts';
import { type IngestBasis, isHeldByLive } from '../ingest-definition.ts';
import { IngestService } from '../ingest-service.ts';
import {
  type OwnedIngestRowInput,
  ownedIngestDefinition,
  ownedIngestInput,
  ownedIngestSeal,
  uploadOpenMs,
} from './owned-ingest-definition.ts';
import type { PartClaim, UploadPart } from './upload-part.ts';
import { Uploads } from './uploads.ts';

interface OwnedIngestsOptions extends Pick<HostBasis, 'supervisor' | 'clock'> {
  readonly service: IngestService;
  readonly newId: () => string;
  /** The most bytes that a file may have now. */
  readonly maximumBytes: () => number;
  readonly uploads: Uploads;
}

/** A file on its way in one body. */
interface WholeUpload {
  readonly part: UploadPart;
  /** The ingest as it was when it got its media. Rejects with the reason why it did not; then it is free for another upload. */
  readonly answered: Promise<OwnedIngestStatus>;
}

/** How far an upload in parts has come. */
interface UploadState {
  /** How many bytes count. */
  readonly offset: number;
  /** The input of the ingest. */
  readonly input: OwnedIngestRowInput;
}

/** The service behind `/v1/owned-media-ingests`: opens ingests, receives their media, reads their status. */
export class OwnedIngests {
  readonly #options: OwnedIngestsOptions;

  constructor(options: OwnedIngestsOptions) {
    this.#options = options;
  }

  /** Opens an ingest; resolves when it is on disk. Checks the fields in the order of the contract. */
  async open(body: unknown): Promise<OwnedIngestStatus> {
    const request = checkedRequest(body, this.#options.maximumBytes());
    const { service, clock, newId } = this.#options;
    const ingestId = `owned-ingest:${newId()}`;
    const now = clock.now();
    const input: OwnedIngestRowInput = {
      ingestId,
      uploadDueAt: now + uploadOpenMs,
      filename: request.filename,
      declaredBytes: request.declaredBytes,
      label: request.label,
      rightsHolder: request.rightsHolder,
      assertedAt: new Date(now).toISOString(),
    };
    await service.open(ingestId, input, { bytes: request.declaredBytes, openedAt: now });
    return this.status(ingestId);
  }

  status(ingestId: string): OwnedIngestStatus {
    const { status, ...rest } = this.#options.service.state(ingestId);
    return {
      schema: 'studio.owned-media-ingest.v1',
      ingestId,
      status: status as OwnedIngestStatus['status'],
      ...rest,
    };
  }

  /** A page of all owned ingests, newest first. Throws `invalid_cursor`. */
  async list(request: PageRequest): Promise<OwnedIngestList> {
    const { rows, ...page } = await this.#options.service.page(request, (ingestId) => this.#listed(ingestId));
    return { schema: 'studio.owned-media-ingests.v1', ingests: rows, ...page };
  }

  #listed(ingestId: string): OwnedIngestRow {
    const { schema: _, ...status } = this.status(ingestId);
    const opened = ownedIngestInput.parse(this.#options.service.row(ingestId).input);
    const { filename, declaredBytes, label, assertedAt: openedAt } = opened;
    const cause = status.failure === null ? null : failureCauseOf(status.failure, 'file');
    return { ...status, openedAt, filename, declaredBytes, label, cause };
  }

  /**
   * Claims the one upload of an ingest. Throws `unknown_ingest`, `ingest_upload_conflict`, then whatever `checkHead`
   * finds wrong with the request's head; only a head in order takes the claim.
   */
  beginUpload(ingestId: string, checkHead: (declaredBytes: number) => void): WholeUpload {
    const { service, supervisor, uploads } = this.#options;
    const row = service.row(ingestId);
    if (!supervisor.awaits(ingestId, 'media.received') || uploads.isSending(ingestId)) throw sentBefore();
    const { declaredBytes } = ownedIngestInput.parse(row.input);
    checkHead(declaredBytes);
    return uploads.whole(ingestId, declaredBytes, () => this.status(ingestId));
  }

  /** Takes up the uploads in parts of an earlier host, once its ingests are taken up. */
  resumeUploads(): Promise<void> {
    return this.#options.uploads.load();
  }

  /** The state of an upload that a client needs to go on with it. Throws `unknown_ingest`, `upload_gone`. */
  async uploadState(ingestId: string): Promise<UploadState> {
    const input = this.#uploadable(ingestId);
    if (!this.#options.supervisor.awaits(ingestId, 'media.received')) return { input, offset: input.declaredBytes };
    return { input, offset: await this.#options.uploads.of(ingestId, input.declaredBytes).offset() };
  }

  /**
   * Takes a part of the media. Throws `unknown_ingest`, `upload_gone`, `ingest_upload_conflict`, `invalid_upload_length`; what
   * ends the part later rejects its answer.
   */
  beginPart(ingestId: string, claim: PartClaim): { readonly part: UploadPart; readonly input: OwnedIngestRowInput } {
    const { supervisor, uploads } = this.#options;
    const input = this.#uploadable(ingestId);
    if (uploads.isWhole(ingestId) || !supervisor.awaits(ingestId, 'media.received')) throw sentBefore();
    const upload = uploads.of(ingestId, input.declaredBytes);
    if (upload.isEnding) throw sentBefore();
    return { part: upload.begin(claim), input };
  }

  /** Cancels an ingest by its upload. Throws `unknown_ingest`, `upload_gone`, `ingest_already_terminal`. */
  async endUpload(ingestId: string): Promise<void> {
    this.#uploadable(ingestId);
    await this.#options.service.cancel(ingestId);
  }

  #uploadable(ingestId: string): OwnedIngestRowInput {
    const { status, input } = this.#options.service.row(ingestId);
    if (status === 'failed') throw new ServiceError('upload_gone', 'the ingest has ended without this media');
    return input as OwnedIngestRowInput;
  }

  /** The most bytes that a file may have. */
  get maximumBytes(): number {
    return this.#options.maximumBytes();
  }

  /** How many files are being received whole, which the end of the host would cut; uploads in parts go on afterwards. */
  get receiving(): number {
    return this.#options.uploads.receiving;
  }

  /** True if the object store has media whose ingest is only about to get the event of it. */
  get isStoring(): boolean {
    return this.#options.uploads.isStoring;
  }

  /** Calls back after each commit of an ingest, until the returned function is called. */
  watch(ingestId: string, listener: () => void): () => void {
    return this.#options.service.watch(ingestId, listener);
  }

  /** Cancels an ingest that has not ended. */
  async cancel(ingestId: string): Promise<OwnedIngestStatus> {
    await this.#options.service.cancel(ingestId);
    return this.status(ingestId);
  }
}

const sentBefore = () =>
  new ServiceError(
    'ingest_upload_conflict',
    'the media of this ingest was sent before or is being sent now, or the ingest has ended',
  );

function checkedRequest(body: unknown, maximumBytes: number): OwnedIngestRequest {
  const request = ownedIngestRequest.safeParse(body, requestWords);
  const issues = request.error?.issues ?? [];
  const refused = (issue: (typeof issues)[number] | undefined) =>
    new ServiceError('invalid_ingest_request', requestFault(ownedIngestRequest, body, issue));
  if (typeof body !== 'object' || body === null) throw refused(issues[0]);
  // The fields are checked in their order, and last that there are no others.
  for (const name of Object.keys(ownedIngestFields)) {
    const issue = issues.find(({ path }) => path[0] === name);
    if (issue !== undefined && (name === 'rightsScope' || name === 'ownershipAttested')) {
      throw new ServiceError(
        'invalid_rights_attestation',
        'rightsScope must be local_processing and ownershipAttested must be true',
      );
    }
    if (issue !== undefined) throw refused(issue);
    if (name === 'declaredBytes' && Number((body as Record<string, unknown>)[name]) > maximumBytes) {
      throw new ServiceError('ingest_body_too_large', `this host takes at most ${maximumBytes} bytes a file`);
    }
  }
  if (request.success) return request.data;
  throw refused(issues[0]);
}

interface OpenOwnedIngestsOptions extends IngestBasis {
  readonly maximumBytes: () => number;
  /** Lines for people. */
  readonly report: (line: string) => void;
}

/** Puts the parts of owned ingests together and registers their kind with the supervisor. */
export function openOwnedIngests(options: OpenOwnedIngestsOptions): OwnedIngests {
  const { ledger, supervisor, sealing, unused } = options;
  const announced: Announce = async ({ contentId, bytes }, isNew) => {
    if (isNew) await ledger.commit([unused.note(contentId, bytes)]);
  };
  const released = () => unused.removeSoon();
  const uploads = new Uploads({ ...options, announced, released });
  const definition = uploads.following(ownedIngestDefinition({ ...options, seal: ownedIngestSeal(ledger, sealing) }));
  supervisor.register(definition);
  const service = new OwnedIngests({
    ...options,
    service: new IngestService({ ...options, definition }),
    uploads,
  });
  unused.heldBy(() => service.isStoring);
  unused.heldBy(isHeldByLive(supervisor, sealing, definition.name));
  return service;
}
