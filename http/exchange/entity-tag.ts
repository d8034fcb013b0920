import { z } from 'zod';
import type { Headers, RequestHead } from '../listener/listener.ts';
import { type Answer, jsonHeaders } from './answer.ts';

/** The field of a request that may be answered without a body. */
export const conditionFields = {
  'If-None-Match': z.string().optional().describe('entity tags of answers that the client has'),
} as const;

/** The entity tag of bytes with this content id. */
export const entityTag = (contentId: string): string => `"${contentId}"`;

/**
 * Whether the client has what a tag stands for: `If-None-Match` names it, weak or strong, or is `*` (RFC 9110, 13.1.2). A field
 * that is sent twice says nothing.
 */
export function isKnownToClient(head: RequestHead, tag: string): boolean {
  const field = head.header('if-none-match');
  if (field === undefined || head.count('if-none-match') !== 1) return false;
  return field.split(',').some((each) => {
    const named = each.trim().replace(/^W\//, '');
    return named === '*' || named === tag;
  });
}

/** The fields of an answer that can be asked for under a condition. */
export const taggedFields = (tag: string, exposed: readonly string[] = []): Headers => ({
  ETag: tag,
  'Access-Control-Expose-Headers': ['ETag', ...exposed].join(', '),
});

/** The answer to a client that has these bytes already. */
export function notModified(tag: string): Answer {
  const { 'Content-Type': _, ...fields } = jsonHeaders;
  return { status: 304, headers: { ...fields, ...taggedFields(tag) }, body: Buffer.alloc(0) };
}
