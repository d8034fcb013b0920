import { z } from 'zod';

const byteCount = z.string().regex(/^(0|[1-9]\d*)$/);

/** The fields of a request's head in tus 1.0.0, as far as this host reads them. */
export const tusFields = {
  'Tus-Resumable': z.literal('1.0.0').describe('The version of the protocol.'),
  'Upload-Length': byteCount.describe('The number of bytes of the file.'),
  'Upload-Metadata': z.string().describe('Pairs of a key and a Base64 value, with a space between, divided by commas.'),
  'Upload-Offset': byteCount.describe('Where in the file the body begins.'),
  'Upload-Checksum': z
    .string()
    .regex(/^(sha1|sha256) [A-Za-z0-9+/]+=*$/)
    .describe('An algorithm, a space, and the digest of the body in Base64.'),
};
