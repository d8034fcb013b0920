import { HostError } from '../../client/host-error.ts';
import type { StudiedSource } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { attestations } from '../../contract/review.ts';
import { approveCaptions } from '../actors/client-host.ts';
import { clientOf, type Reachable } from './host-process.ts';
import { waitUntil } from './standstill.ts';

/** An event of a journal, whatever its type. */
export interface StoredEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Takes a study from its start to the withdrawal of its approval, from wherever an earlier life of the host left it. */
export class LaterClient {
  readonly #host: Reachable;
  readonly #client: StudyHost;

  constructor(host: Reachable) {
    this.#host = host;
    this.#client = clientOf(host);
  }

  /** Studies a source to its end: the newest one, unless one is named. */
  async study(named?: Omit<StudiedSource, 'durationMs'>, clientRequestId?: string): Promise<string> {
    const source = named ?? (await this.#client.sources())[0];
    if (source === undefined) throw new Error('the host has no source');
    const durationMs = 20_000;
    const { runtimeId } = await this.#client.study(
      { ...source, durationMs },
      {
        requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
        targetLanguage: 'en',
        outputDepth: 'captions',
        ...(clientRequestId === undefined ? {} : { clientRequestId }),
      },
    ).started;
    await this.#until(
      `${runtimeId} is to come to its end`,
      async () => (await this.#client.status(runtimeId)).terminal,
    );
    return runtimeId;
  }

  /** Approves, makes and checks captions, and withdraws the approval; skips each step that is done. */
  async finish(runtimeId: string): Promise<void> {
    await this.caption(runtimeId);
    const by = { reviewerId: 'reviewer:local-operator', attestation: attestations.revocation };
    await this.#done(
      () => this.#client.reviews.revoke(runtimeId, { reasonCodes: ['new_review_required'], note: null }, by),
      async () => (await this.#reviews(runtimeId))[0]?.state === 'approval_revoked',
    );
  }

  /** Approves, makes and checks captions; skips each step that is done. */
  async caption(runtimeId: string): Promise<void> {
    const { captions } = this.#client;
    await this.#done(
      () => approveCaptions(this.#client, runtimeId),
      async () => (await this.#reviews(runtimeId)).length > 0,
    );
    await this.#done(
      () => captions.produce(runtimeId),
      async () => (await captions.results(runtimeId)).results.length === 1,
    );
    await this.#until('the captions are to be checked', async () => {
      const [check] = (await captions.qualityControls(runtimeId)).qualityControls;
      return check?.outcome === 'accepted';
    });
  }

  /** The content id of the receipt of the caption check, once there is one. */
  async checkReceipt(runtimeId: string): Promise<string> {
    const [check] = (await this.#client.captions.qualityControls(runtimeId)).qualityControls;
    if (check === undefined) throw new Error(`the captions of ${runtimeId} are not checked`);
    return check.receiptContentId;
  }

  /** Requests an explanation of the first words of the captions, if that is not done yet. */
  async explain(runtimeId: string): Promise<void> {
    const { captions } = this.#client;
    const [line] = (await captions.results(runtimeId)).results[0]?.artifact.lines ?? [];
    const text = [...(line?.source.text ?? '')].slice(0, 2).join('');
    const selection = { side: 'source', unit: 'unicode_code_point', start: 0, end: 2, text } as const;
    await this.#done(
      () => captions.explain(runtimeId, { lineId: line?.id ?? '', selection, facetKinds: ['meaning'] }),
      async () => (await captions.explanations(runtimeId)).results.length === 1,
    );
  }

  async journal(runtimeId: string): Promise<readonly StoredEvent[]> {
    return (await this.#client.events(runtimeId, { limit: 200 })).events;
  }

  async #reviews(runtimeId: string) {
    return (await this.#client.reviews.decisions(runtimeId)).reviews;
  }

  /** Asks for something unless it is done, or on its way since an earlier life of the host. */
  async #done(ask: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    if (!(await isDone())) {
      await ask().catch((error) => {
        if (!(error instanceof HostError) || error.status !== 409) throw error;
      });
    }
    await this.#until('what was asked for is to be done', isDone);
  }

  #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    return waitUntil(this.#host, what, isDone);
  }
}
