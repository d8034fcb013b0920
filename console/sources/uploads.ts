import { createStore } from '@xstate/store';
import type { StudyHost } from '../../client/study-host.ts';
import type { VideohostIngestRow } from '../../contract/ingest.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { isTyped } from '../parts/field.tsx';
import { failureWords } from '../parts/notice.tsx';

export interface FileUpload {
  readonly id: number;
  /** The id that the host gave the ingest; null until it has answered. */
  readonly ingestId: string | null;
  readonly label: string;
  readonly state: string;
  readonly sent: number;
  readonly total: number;
  /** How far the host says that the ingest is. */
  readonly progress: WorkProgress | null;
  readonly error: unknown;
  readonly stop: () => void;
}

/** A file whose bytes were a source before, under another label. */
export interface KnownFile {
  readonly sourceSessionId: string;
  readonly label: string;
  /** The label that a person gave it this time. */
  readonly given: string;
}

/** The uploads of this page. They go on while another view is shown. */
export const uploads = createStore({
  context: {
    running: [] as readonly FileUpload[],
    known: [] as readonly KnownFile[],
    dismissed: [] as readonly string[],
    ended: 0,
  },
  on: {
    begun: (context, { upload }: { upload: FileUpload }) => ({ ...context, running: [...context.running, upload] }),
    changed: (context, { id, change }: { id: number; change: Partial<FileUpload> }) => ({
      ...context,
      running: context.running.map((each) => (each.id === id ? { ...each, ...change } : each)),
    }),
    /** The failure of an ingest that a person has read: this page shows it no more. */
    dismissed: (context, { ingestId }: { ingestId: string }) => ({
      ...context,
      running: context.running.filter((each) => each.ingestId !== ingestId),
      dismissed: [...context.dismissed, ingestId],
    }),
    known: (context, { file }: { file: KnownFile }) => ({ ...context, known: [...context.known, file] }),
    /** A person chose one of the two labels. */
    labeled: (context, { file }: { file: KnownFile }) => ({
      ...context,
      known: context.known.filter((each) => each !== file),
      ended: context.ended + 1,
    }),
    ended: (context, { id }: { id: number }) => ({
      ...context,
      running: context.running.filter((each) => each.id !== id),
      ended: context.ended + 1,
    }),
  },
});

/** States in which the bytes of a file are still in this page alone. */
const isUnsent = ({ state }: FileUpload): boolean => state === 'waiting' || state === 'uploading';

/** Has the browser ask before it leaves a page whose files are not sent. */
export function askBeforeStop(event: Pick<BeforeUnloadEvent, 'preventDefault'>): void {
  if (uploads.getSnapshot().context.running.some(isUnsent)) event.preventDefault();
}

let count = 0;

/** The end of the upload before. A browser has six connections to a host, and each upload takes two for as long as it lasts. */
let before: Promise<unknown> = Promise.resolve();

interface FileWords {
  readonly label: string;
  readonly rightsHolder: string;
}

/** Uploads a file after those before it, and follows it until it is a source; what fails stays in the list with its reason. */
export function uploadFile(host: StudyHost, file: File, words: FileWords): void {
  count += 1;
  const id = count;
  const stop = new AbortController();
  const change = (to: Partial<FileUpload>) => uploads.send({ type: 'changed', id, change: to });
  uploads.send({
    type: 'begun',
    upload: {
      id,
      ingestId: null,
      label: words.label,
      state: 'waiting',
      sent: 0,
      total: file.size,
      progress: null,
      error: null,
      stop: () => stop.abort(new Error('stopped by you')),
    },
  });
  const onUpload = ({ sent, total }: { sent: number; total: number }) => change({ sent, total });
  const onMeasured = (progress: WorkProgress) => change({ progress });
  const onProgress = ({ ingestId, status }: { ingestId: string; status: string }) =>
    change({ ingestId, ...(status !== 'queued' && { state: status }) });
  const upload = async (): Promise<void> => {
    const callbacks = { onProgress, onUpload, onMeasured };
    change({ state: 'uploading' });
    const earlier = await host.sources();
    const source = await host.ingestFile(file, {
      ...words,
      ownershipAttested: true,
      ...callbacks,
      signal: stop.signal,
    });
    const before = earlier.find(({ sourceSessionId }) => sourceSessionId === source.sourceSessionId);
    // The sample becomes a file of the person who adds it.
    if (before === undefined || before.rightsScope !== 'local_processing') return;
    if (isTyped(before.label, source.label)) return;
    // The host gives known bytes the new label. The label that a person knows stays until they choose the other one.
    const { sourceSessionId, label } = before;
    await host.library.rename(sourceSessionId, label);
    uploads.send({ type: 'known', file: { sourceSessionId, label, given: source.label } });
  };
  const ended = () => uploads.send({ type: 'ended', id });
  const turn = before;
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  // One that is stopped while it waits goes at once.
  before = Promise.race([turn, stopped])
    .then(() => (stop.signal.aborted ? undefined : upload()))
    .then(ended, (error: unknown) => (stop.signal.aborted ? ended() : change({ state: 'failed', error })))
    .then(() => turn);
}

/** The reason why this host fetches nothing from video hosts. Null before its answer, and for a host that does. */
export const videoHosts = createStore({
  context: { whyOff: null as string | null },
  on: { refused: (_, { whyOff }: { whyOff: string }) => ({ whyOff }) },
});

/** The newest ingests from video hosts. A host that has said that it fetches none is not asked again. */
export async function videoIngests(host: StudyHost, limit: number): Promise<readonly VideohostIngestRow[]> {
  if (videoHosts.getSnapshot().context.whyOff !== null) return [];
  try {
    return (await host.videohostIngests({ limit })).ingests;
  } catch (error) {
    const whyOff = whyOffOf(error);
    if (whyOff === null) throw error;
    videoHosts.send({ type: 'refused', whyOff });
    return [];
  }
}

/** Why a host fetches no videos, by its refusal; null for any other failure. */
function whyOffOf(error: unknown): string | null {
  const { code, what } = failureWords(error);
  if (code === 'not_found') return 'its program has no part for video hosts';
  return code === 'videohost_local_ingest_unavailable' ? what : null;
}
