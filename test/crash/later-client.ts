import { z } from 'zod';
import { attestations } from '../../contract/review.ts';
import { askHost, type Reachable } from './host-process.ts';
import { waitUntil } from './standstill.ts';

const reviewer = 'reviewer:local-operator';

const reference = { artifactId: z.string(), receiptId: z.string(), receiptContentId: z.string() };
const intakes = z.looseObject({ intakes: z.tuple([z.object({ intakeId: z.string(), ...reference })]) });
const review = z.looseObject({ reviewId: z.string(), ...reference, state: z.string() });
const reviews = z.looseObject({ reviews: z.array(review) });
const captions = z.looseObject({ captions: z.array(z.looseObject({ jobId: z.string() })) });
const captionResults = z.looseObject({
  results: z.tuple([
    z.looseObject({
      verification: z.looseObject({
        jobId: z.string(),
        captionArtifactId: z.string(),
        captionContentId: z.string(),
        receiptArtifactId: z.string(),
        receiptId: z.string(),
        receiptContentId: z.string(),
      }),
      artifact: z.looseObject({
        lines: z.tuple(
          [z.looseObject({ id: z.string(), source: z.looseObject({ text: z.string() }) })],
          z.looseObject({}),
        ),
      }),
    }),
  ]),
});
const explanations = z.looseObject({ results: z.array(z.looseObject({})) });
const checks = z.looseObject({ qualityControls: z.array(z.looseObject({ outcome: z.string() })) });
const sessions = z.looseObject({
  sourceSessions: z.array(z.looseObject({ sourceSessionId: z.string(), sourceRevisionId: z.string() })),
});
const events = z.looseObject({
  events: z.array(z.looseObject({ type: z.string(), data: z.looseObject({}) })),
  terminal: z.boolean(),
});

export type StoredEvent = z.infer<typeof events>['events'][number];

/** Takes a study from its start to the withdrawal of its approval, from wherever an earlier life of the host left it. */
export class LaterClient {
  readonly #host: Reachable;

  constructor(host: Reachable) {
    this.#host = host;
  }

  /** Studies a source to its end: the newest one, unless `more` names another. */
  async study(
    more: {
      readonly clientRequestId?: string;
      readonly sourceSessionId?: string;
      readonly sourceRevisionId?: string;
    } = {},
  ): Promise<string> {
    const [source] = sessions.parse(await this.#get('/v1/source-sessions')).sourceSessions;
    const started = await this.#post('/v1/runtime-starts', {
      sourceSessionId: source?.sourceSessionId,
      sourceRevisionId: source?.sourceRevisionId,
      range: { startMs: 0, endMs: 20_000 },
      requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
      targetLanguage: 'en',
      selectedLanguagePackId: null,
      outputDepth: 'captions',
      ...more,
    });
    const { runtimeId } = z.looseObject({ runtimeId: z.string() }).parse(started);
    await this.#until(
      `${runtimeId} is to come to its end`,
      async () => z.looseObject({ terminal: z.boolean() }).parse(await this.#get(`/v1/runtimes/${runtimeId}`)).terminal,
    );
    return runtimeId;
  }

  /** Approves, has captions made and checked, and withdraws the approval; each where it is not done yet. */
  async finish(runtimeId: string): Promise<void> {
    const path = `/v1/runtimes/${runtimeId}`;
    await this.caption(runtimeId);
    await this.#done(
      () => this.#withdraw(path),
      async () => (await this.#review(path))?.state === 'approval_revoked',
    );
  }

  /** Approves, and has captions made and checked; each where it is not done yet. */
  async caption(runtimeId: string): Promise<void> {
    const path = `/v1/runtimes/${runtimeId}`;
    await this.#done(
      () => this.#approve(path),
      async () => (await this.#review(path)) !== null,
    );
    await this.#done(
      async () => this.#post(`${path}/caption-productions`, { approval: await this.#approval(path) }),
      async () => captions.parse(await this.#get(`${path}/caption-productions`)).captions.length === 1,
    );
    await this.#until('the captions are to be checked', async () => {
      const [check] = checks.parse(await this.#get(`${path}/caption-quality-controls`)).qualityControls;
      return check?.outcome === 'accepted';
    });
  }

  /** Has the first words of the captions explained, where that is not done yet. */
  async explain(runtimeId: string): Promise<void> {
    const path = `/v1/runtimes/${runtimeId}`;
    const [result] = captionResults.parse(await this.#get(`${path}/caption-production-results`)).results;
    const { verification, artifact } = result;
    const { jobId, captionArtifactId, captionContentId, receiptArtifactId, receiptId, receiptContentId } = verification;
    const [line] = artifact.lines;
    const text = [...line.source.text].slice(0, 2).join('');
    await this.#done(
      () =>
        this.#post(`${path}/language-explanations`, {
          caption: {
            jobId,
            artifactId: captionArtifactId,
            contentId: captionContentId,
            receiptArtifactId,
            receiptId,
            receiptContentId,
          },
          lineId: line.id,
          selection: { side: 'source', unit: 'unicode_code_point', start: 0, end: 2, text },
          facetKinds: ['meaning'],
        }),
      async () => explanations.parse(await this.#get(`${path}/language-explanations`)).results.length === 1,
    );
  }

  async journal(runtimeId: string): Promise<StoredEvent[]> {
    return events.parse(await this.#get(`/v1/runtimes/${runtimeId}/events?limit=200`)).events;
  }

  async #approve(path: string): Promise<unknown> {
    const [{ intakeId, artifactId, receiptId, receiptContentId }] = intakes.parse(
      await this.#get(`${path}/publish-review-intakes`),
    ).intakes;
    return this.#post(`${path}/publish-review-decisions`, {
      intake: { intakeId, artifactId, receiptId, receiptContentId },
      reviewer: { id: reviewer, attestation: attestations.decision },
      decision: {
        outcome: 'approve_for_caption_production',
        reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
        note: null,
      },
    });
  }

  async #withdraw(path: string): Promise<unknown> {
    return this.#post(`${path}/publish-review-revocations`, {
      approval: await this.#approval(path),
      reviewer: { id: reviewer, attestation: attestations.revocation },
      revocation: { reasonCodes: ['new_review_required'], note: null },
    });
  }

  async #review(path: string): Promise<z.infer<typeof review> | null> {
    return reviews.parse(await this.#get(`${path}/publish-review-decisions`)).reviews[0] ?? null;
  }

  async #approval(path: string) {
    const found = await this.#review(path);
    if (found === null) throw new Error('there is no approval');
    const { reviewId, artifactId, receiptId, receiptContentId } = found;
    return { reviewId, artifactId, receiptId, receiptContentId };
  }

  /** Asks for something unless it is done, or on its way since an earlier life of the host. */
  async #done(ask: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    if (!(await isDone())) {
      await ask().catch((error) => {
        if (!(error instanceof Error) || !error.message.startsWith('answered 409')) throw error;
      });
    }
    await this.#until('what was asked for is to be done', isDone);
  }

  #until(what: string, isDone: () => Promise<boolean>): Promise<void> {
    return waitUntil(this.#host, what, isDone);
  }

  #get(path: string): Promise<unknown> {
    return this.#ask('GET', path);
  }

  #post(path: string, body: object): Promise<unknown> {
    return this.#ask('POST', path, body);
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, text } = await askHost(this.#host, method, path, body);
    if (status >= 300) throw new Error(`answered ${status}: ${text}`);
    return JSON.parse(text);
  }
}
