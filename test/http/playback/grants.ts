import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import {
  type PlaybackGrant,
  playbackGrant,
  playbackGrantLongestMs,
  playbackRenewed,
  playbackRevoked,
} from '../../../contract/playback/private-playback.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';
import { ingestRequest, openIngest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, sampleRow } from '../host/study-steps.ts';
import {
  askGrant,
  askMedia,
  askRevocation,
  type Granted,
  grantOf,
  grantsOf,
  otherOrigin,
  pageFields,
  studied,
  uploaded,
} from './steps.ts';

const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

/** Grants and their revocations. */
export function grants(contract: HostContract): void {
  let sample: Granted;
  let hum: Granted;

  test.serial(
    contract.title('a grant names the source that the runtime was started with, for ten minutes'),
    async (t) => {
      sample = await studied(t, contract, await sampleRow(t, contract));
      hum = await uploaded(t, contract, humWav(60), '내 녹음 파일 (1).wav');
      for (const [{ runtimeId, request }, mimeType] of [
        [sample, 'video/mp4'],
        [hum, 'audio/wav'],
      ] as const) {
        const grant = await grantOf(t, contract, { runtimeId, request });
        t.is(grant.runtimeId, runtimeId);
        t.like(grant.source, request.source);
        t.is(grant.mimeType, mimeType);
        t.is(Date.parse(grant.expiresAt) - Date.parse(grant.issuedAt), 600_000);
        t.true(grant.mediaPath.includes(`/${encodeURIComponent(grant.grantId)}/`));
        t.true(Math.abs(Date.parse(grant.issuedAt) - Date.now()) < 60_000);
      }
    },
  );

  test.serial(contract.title('every grant has an id and a secret of its own'), async (t) => {
    const issued = await Promise.all(Array.from({ length: 5 }, () => grantOf(t, contract, sample)));
    t.is(new Set(issued.map(({ grantId }) => grantId)).size, 5);
    t.is(new Set(issued.map(({ mediaPath }) => mediaPath.split('/').at(-1))).size, 5);
  });

  test.serial(
    contract.title('a grant is asked for with the token, by a page, by POST and without a query'),
    async (t) => {
      const path = grantsOf(sample.runtimeId);
      const json = sample.request;
      const headers = { Origin: pageOrigin };
      const ask = (method: string, target: string, question: object) => contract.ask(method, target, question);
      contract.refused(t, await ask('POST', path, { json, headers, token: null }), 'unauthorized', [
        ...pageFields,
        'www-authenticate',
      ]);
      contract.refused(t, await ask('POST', path, { json }), 'origin_required');
      contract.refused(
        t,
        await ask('POST', path, { json, headers: { 'Sec-Fetch-Site': 'same-origin' } }),
        'origin_required',
      );
      contract.refused(t, await ask('POST', path, { json, headers: { Origin: 'null' } }), 'origin_not_allowed');
      contract.refused(t, await ask('GET', path, {}), 'origin_required');
      for (const method of ['GET', 'HEAD', 'PUT']) {
        const answer = await ask(method, path, { headers });
        t.is(answer.status, 405);
        t.is(answer.headers.allow, 'POST, OPTIONS');
      }
      contract.refused(t, await ask('POST', `${path}?x=1`, { json, headers }), 'unknown_query', pageFields);
      contract.refused(
        t,
        await ask('POST', path, { body: Buffer.from('{}'), headers: { ...headers, 'Content-Type': 'text/plain' } }),
        'unsupported_content_type',
        pageFields,
      );
      contract.refused(t, await ask('POST', `${path}/x`, { json, headers }), 'not_found', pageFields);
    },
  );

  test.serial(
    contract.title('the body of a grant is closed, and judged before the runtime is looked for'),
    async (t) => {
      const { schema, source } = sample.request;
      const wrong: unknown[] = [
        null,
        {},
        { schema },
        { source },
        { schema: 'studio.private-playback-grant.v1', source },
        { schema, source, ttlMs: 1 },
        { schema, source: { ...source, bytes: 1 } },
        { schema, source: { ...source, revisionId: '' } },
        { schema, source: { ...source, artifactId: 'artifact:x' } },
        { schema, source: { ...source, contentId: source.contentId.toUpperCase() } },
        { schema, source: { revisionId: source.revisionId, contentId: source.contentId } },
      ];
      for (const request of wrong) {
        const answer = await askGrant(contract, { runtimeId: nowhere, request: request as Granted['request'] });
        contract.refused(t, answer, 'invalid_private_playback_grant_request', pageFields);
      }
    },
  );

  test.serial(contract.title('a grant needs a runtime, and the source of that runtime'), async (t) => {
    const { request } = sample;
    const ingestId = await openIngest(t, contract, ingestRequest(10));
    for (const runtimeId of [nowhere, 'x', ingestId, `${sample.runtimeId}%2Fdetect`]) {
      contract.refused(t, await askGrant(contract, { runtimeId, request }), 'unknown_runtime', pageFields);
    }
    const other = hum.request.source;
    const mixed: Granted['request']['source'][] = [
      other,
      { ...request.source, revisionId: other.revisionId },
      { ...request.source, artifactId: other.artifactId },
      { ...request.source, contentId: other.contentId },
    ];
    for (const source of mixed) {
      const answer = await askGrant(contract, { runtimeId: sample.runtimeId, request: { ...request, source } });
      contract.refused(t, answer, 'private_playback_source_mismatch', pageFields);
    }
  });

  test.serial(contract.title('a grant is revoked once, by its own runtime'), async (t) => {
    const { runtimeId } = sample;
    const { grantId, mediaPath } = await grantOf(t, contract, sample);
    const unavailable: ErrorCode = 'private_playback_grant_unavailable';
    contract.refused(t, await askRevocation(contract, hum.runtimeId, grantId), unavailable, pageFields);
    contract.refused(t, await askRevocation(contract, runtimeId, 'private-playback-grant:x'), unavailable, pageFields);
    contract.refused(t, await askRevocation(contract, nowhere, grantId), 'unknown_runtime', pageFields);
    t.is((await askMedia(contract, mediaPath)).status, 200);

    const path = `${grantsOf(runtimeId)}/${encodeURIComponent(grantId)}/revocations`;
    const headers = { Origin: pageOrigin };
    const json = { schema: 'studio.private-playback-grant-revocation.v1' };
    contract.refused(t, await contract.ask('POST', path, { json }), 'origin_required');
    contract.refused(t, await contract.ask('GET', path, { headers }), 'method_not_allowed', [...pageFields, 'allow']);
    for (const wrong of [null, {}, { ...json, at: 1 }, { schema: 'studio.private-playback-grant-revoked.v1' }]) {
      const answer = await contract.ask('POST', path, { json: wrong, headers });
      contract.refused(t, answer, 'invalid_private_playback_revocation', pageFields);
    }

    const revoked = contract.granted(
      t,
      await contract.ask('POST', path, { json, headers }),
      200,
      playbackRevoked,
      pageFields,
    );
    t.like(revoked, { grantId, runtimeId, state: 'revoked' });
    contract.refused(t, await askRevocation(contract, runtimeId, grantId), unavailable, pageFields);
    contract.refused(t, await askMedia(contract, mediaPath), 'private_playback_grant_expired', pageFields);
  });

  test.serial(contract.title('a page of its origin renews a grant, and its path stays the same'), async (t) => {
    const { runtimeId } = sample;
    const { grantId, mediaPath, issuedAt, expiresAt } = await grantOf(t, contract, sample);
    const path = `${grantsOf(runtimeId)}/${encodeURIComponent(grantId)}/renewals`;
    const json = { schema: 'studio.private-playback-grant-renewal.v1' };
    const renew = (others: object = {}) =>
      contract.ask('POST', path, { json, headers: { Origin: pageOrigin }, ...others });
    const renewed = contract.granted(t, await renew(), 200, playbackRenewed, pageFields);
    t.like(renewed, { grantId, runtimeId });
    t.true(Date.parse(renewed.expiresAt) >= Date.parse(expiresAt));
    t.is(Date.parse(renewed.renewableUntil) - Date.parse(issuedAt), playbackGrantLongestMs);
    t.is((await askMedia(contract, mediaPath)).status, 200);
    contract.refused(t, await renew({ json: {} }), 'invalid_private_playback_renewal', pageFields);
    contract.refused(t, await renew({ headers: { Origin: otherOrigin } }), 'origin_not_allowed', pageFields);
    contract.refused(t, await renew({ headers: {} }), 'origin_required');
    t.is((await askRevocation(contract, runtimeId, grantId)).status, 200);
    contract.refused(t, await renew(), 'private_playback_grant_expired', pageFields);
  });

  test.serial(contract.title('64 grants are active at most, and a revoked one makes room'), async (t) => {
    const issued: PlaybackGrant[] = [];
    let refusal = await askGrant(contract, sample);
    for (; refusal.status === 201; refusal = await askGrant(contract, sample)) {
      issued.push(contract.granted(t, refusal, 201, playbackGrant, pageFields));
    }
    contract.refused(t, refusal, 'private_playback_grant_capacity', pageFields);
    // What is wrong with the request itself is said all the same.
    const mismatch = await askGrant(contract, { ...sample, request: hum.request });
    contract.refused(t, mismatch, 'private_playback_source_mismatch', pageFields);
    t.true(issued.length > 40 && issued.length <= 64, `${issued.length}`);
    const [first, ...rest] = issued;
    t.is((await askRevocation(contract, sample.runtimeId, first?.grantId ?? '')).status, 200);
    rest.push(await grantOf(t, contract, sample));
    contract.refused(t, await askGrant(contract, sample), 'private_playback_grant_capacity', pageFields);
    for (const { grantId } of rest) t.is((await askRevocation(contract, sample.runtimeId, grantId)).status, 200);
  });

  test.serial(contract.title('a grant leaves no trace in the journal, and its secret none in the log'), async (t) => {
    const { runtimeId } = hum;
    const { events } = await followed(t, contract, runtimeId);
    const { grantId, mediaPath } = await grantOf(t, contract, hum);
    await askMedia(contract, mediaPath);
    await askRevocation(contract, runtimeId, grantId);
    await askMedia(contract, mediaPath);
    t.is((await followed(t, contract, runtimeId)).events.length, events.length);
    const secret = mediaPath.split('/').at(-1) ?? '';
    t.is(secret.length, 43);
    t.false(`${contract.host.stdout}${contract.host.stderr}`.includes(secret));
  });
}
