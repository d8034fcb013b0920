import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import { type Answer, isKnownToClient } from '../exchange/answer.ts';
import { type Call, type Route, read, route } from '../exchange/route.ts';
import type { Headers } from '../listener/listener.ts';

/** The built files of the console by their paths; `/` is the page. Empty where this host has none. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Reads the files. The host asks once, when a browser opens the console for the first time, and again after a read that failed. */
export type ReadConsole = () => Promise<ConsoleFiles>;

/**
 * The permissions of the page: it loads files of this host alone, and no inline code or style. Media and its captions may be
 * blobs, because a page makes a `<track>` of text that it fetched with the token.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const commonHeaders: Headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const pageHeaders: Headers = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** The name of an asset holds a digest of its bytes, so a browser may keep it. */
const unchanging = 'private, max-age=31536000, immutable';

/**
 * The routes of the console. They are open to anyone whom the guard lets reach this host, because the page holds no secret. It
 * gets the token from the fragment of its address, which no browser sends. They are not in the description of the wire.
 */
export function consoleRoutes(readConsole: ReadConsole): readonly Route[] {
  let opened: Promise<ReadonlyMap<string, Answer>> | undefined;
  const served = async (path: string, { client }: Call<null>): Promise<Answer> => {
    opened ??= readConsole()
      .then(answersOf)
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    const answer = (await opened).get(path);
    if (answer === undefined) throw new ServiceError('not_found', 'the console of this host has no such file');
    return isKnownToClient(client.head, answer.headers?.ETag ?? '')
      ? { ...answer, status: 304, body: Buffer.alloc(0) }
      : answer;
  };
  return [
    route('/', {
      room: 'console',
      access: 'anyone',
      GET: read({
        ...described('readConsole', 'the console, a page for browsers'),
        handle: (call) => served('/', call),
      }),
    }),
    route('/assets/:name', {
      room: 'console',
      access: 'anyone',
      params: { name: z.string() },
      GET: read({
        ...described('readConsoleAsset', 'a script or a style of the console'),
        handle: (call) => served(`/assets/${call.params.name}`, call),
      }),
    }),
  ];
}

const described = (id: string, summary: string) => ({
  id,
  summary,
  answers: [{ status: 200, types: ['text/html', 'text/javascript', 'text/css', 'image/svg+xml'] } as const],
  refusals: ['not_found'] as const,
});

const answersOf = (files: ConsoleFiles): ReadonlyMap<string, Answer> =>
  new Map([...files].map(([path, file]) => [path, answerOf(path, file)]));

const answerOf = (path: string, { bytes, type }: ConsoleFile): Answer => ({
  status: 200,
  body: bytes,
  headers: {
    'Content-Type': type,
    ETag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    'Cache-Control': path === '/' ? 'no-cache' : unchanging,
    ...commonHeaders,
    ...(path === '/' ? pageHeaders : {}),
  },
});
