import { Redis } from 'ioredis';

/** The name of the queue, and what the names of all its keys begin with. */
export const QUEUE = { name: 'orders', prefix: 'media-study' } as const;

const longestPauseMs = 2000;

export interface OpenRedis {
  readonly redis: Redis;
  /** The newest error of the connection in words for people; null while it is up. */
  trouble(): string | null;
}

/** Why a Redis that says this of itself does not serve; null where it does. */
export function tooOld(info: string): string | null {
  const [, found = '', major = '0', minor = '0'] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  const isEnough = Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
  return isEnough ? null : `Redis ${found} is older than 6.2`;
}

/** A connection that never gives up. It never rejects and never throws: what is wrong with it is `trouble`. */
export function openRedis(address: string): OpenRedis {
  let trouble: string | null = 'it has not answered yet';
  const redis = new Redis(address, {
    // Commands of workers wait for the connection; those of a host look at it first.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestPauseMs),
  });
  redis.on('error', (error: Error) => {
    trouble = error.message === '' ? String((error as NodeJS.ErrnoException).code ?? error.name) : error.message;
  });
  redis.on('ready', () => {
    redis.info('server').then(
      (text) => {
        trouble = tooOld(text);
      },
      () => undefined,
    );
  });
  redis.on('close', () => {
    trouble ??= 'it closed the connection';
  });
  return { redis, trouble: () => trouble };
}
