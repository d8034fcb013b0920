import type { Access, Endpoint } from '../../http/exchange/route.ts';
import { routeTable, type ServerOptions } from '../../http/server.ts';

const intro = `# Endpoints

Written by \`npm run docs\` from the route table of the host (\`http/server.ts\`); a test compares them.

Paths begin with the origin of the [start line](guides/operating.md#the-line-on-stdout). JSON bodies and answers are
described by the schemas in [contract](../contract). HEAD is answered wherever GET is, OPTIONS everywhere.
[Errors](errors.md#answers) lists every code that an endpoint may answer.

An endpoint takes one of three kinds of access. *token*: the header \`Authorization: Bearer …\`. *token and origin*: the same,
and an allowed Origin header. *grant*: the secret of a playback grant, which stands in the path instead of the token.

| path | methods | query | access | purpose |
| --- | --- | --- | --- | --- |
`;

const runtime = '/v1/runtimes/:runtimeId';
const owned = '/v1/owned-media-ingests';
const videohost = '/v1/videohost-local-ingests';

/** One line for each path. */
const purposes: Readonly<Record<string, string>> = {
  '/v1/source-sessions': 'the sources that can be studied',
  '/v1/source-sessions/:sourceSessionId/media-probe':
    'the probe record of a source: tracks, clock, and the [note on incomplete media](receipts.md#incomplete-media)',
  [owned]: 'open an ingest of a file',
  [`${owned}/:ingestId`]: 'the status of the ingest',
  [`${owned}/:ingestId/media`]: 'send the bytes of the file',
  [`${owned}/:ingestId/cancellations`]: 'cancel the ingest; the body is `{}`',
  [videohost]: 'open an ingest of a range from a video host',
  [`${videohost}/:ingestId`]: 'the status of the ingest',
  [`${videohost}/:ingestId/cancellations`]: 'cancel the ingest; the body is `{}`',
  '/v1/runtime-plans': 'plan a study: the ids and the forecast that a start would have; writes nothing',
  '/v1/runtime-starts': 'start a study',
  '/v1/runtime-starts/:commandId': 'the status of the study that a command started',
  [runtime]: 'the status of a study',
  [`${runtime}/events`]: 'the journal of the study',
  [`${runtime}/evidence`]: 'its evidence with all facts',
  [`${runtime}/assessment-audits`]: 'its claims and their citations',
  [`${runtime}/decision-receipts`]: 'its decision',
  [`${runtime}/publish-review-intakes`]: 'its entry in the review queue',
  [`${runtime}/publish-review-decisions`]: 'its reviews; approve or reject',
  [`${runtime}/publish-review-revocations`]: 'revoke an approval',
  [`${runtime}/caption-productions`]: 'its captions; produce captions under an approval',
  [`${runtime}/caption-productions/:jobId.vtt`]: 'accepted captions as WebVTT; `side` is `target` or `source`',
  [`${runtime}/caption-production-results`]: 'its captions with every line and the lineage of each line',
  [`${runtime}/caption-quality-controls`]: 'the quality controls of its captions; ask for one that is missing',
  [`${runtime}/caption-quality-reports`]: 'its captions measured against the guidelines of Netflix and TED',
  [`${runtime}/language-explanations`]: 'attempts at explanations of its captions and their results; ask for one',
  [`${runtime}/private-playback-grants`]: 'let pages of one origin play the source for ten minutes',
  [`${runtime}/private-playback-grants/:grantId/revocations`]: 'end a grant',
  '/v1/private-source-media/:grantId/:secret': 'the media, as a whole or by range',
};

const words: Readonly<Record<Access, string>> = {
  token: 'token',
  'token-and-origin': 'token and origin',
  grant: 'grant',
};

const queryOf = (endpoint: Endpoint): readonly string[] => (endpoint.body === 'none' ? endpoint.query : []);

/** The page of all endpoints, in Markdown. Throws for a path without a purpose, and for a purpose without a path. */
export function endpointsPage(): string {
  // Routes hold their services and ask them nothing before a request comes.
  const services: unknown = { videohostIngests: {} };
  const routes = routeTable(services as ServerOptions['services']);
  const stray = Object.keys(purposes).filter((path) => !routes.some((route) => route.path === path));
  if (stray.length > 0) throw new Error(`no route has the path ${stray.join(', ')}`);
  const rows = routes.map(({ path, methods, access = 'token' }) => {
    const purpose = purposes[path];
    if (purpose === undefined) throw new Error(`the path ${path} has no purpose in scripts/docs/endpoints-page.ts`);
    const query = Object.values(methods)
      .flatMap(queryOf)
      .map((key) => `\`${key}\``);
    return `| \`${path}\` | ${Object.keys(methods).join(', ')} | ${query.join(', ')} | ${words[access]} | ${purpose} |\n`;
  });
  return intro + rows.join('');
}
