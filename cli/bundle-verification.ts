import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type BundleSignature, trustedKey, verifyBundle, type WholeBundle } from '../actors/exports/verify-bundle.ts';
import type { ByteReader } from '../contract/base/byte-reader.ts';
import type { CheckedLink } from '../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../receipts/core/evidence-chain-error.ts';
import { SignatureFault } from '../receipts/exports/bundle-statement.ts';
import { journalHeadField } from '../receipts/reopening/runtime-events.ts';
import { ArchiveError } from '../storage/archive/archive-error.ts';
import { blockBytes } from '../storage/archive/ustar-header.ts';
import { openRegular } from '../storage/objects/regular-file.ts';
import { StartError } from './options/start-error.ts';
import type { BundleOptions } from './options/verify-options.ts';
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts';
import { checkedLine, faultLine, faultOf, type VerificationFault } from './verification.ts';

/** Something that a bundle rests on and that could not be checked. */
interface Unchecked {
  readonly subject: 'media';
  readonly contentId: string;
  readonly why: string;
}

/** What the verification of a bundle came to, as `--json` prints it. */
export interface BundleVerification {
  readonly schema: 'studio.bundle-verification.v1';
  readonly bundle: string;
  readonly verdict: 'intact' | 'damaged';
  /** Null where the bundle is damaged: what it says of itself proves nothing then. */
  readonly runtimeId: string | null;
  readonly journalHead: string | null;
  readonly signature: BundleSignature | null;
  readonly checked: readonly CheckedLink[];
  readonly unchecked: readonly Unchecked[];
  readonly fault: VerificationFault | null;
}

const uncheckedOf = ({ manifest: { media } }: WholeBundle): Unchecked[] =>
  media.included
    ? []
    : [{ subject: 'media', contentId: media.contentId, why: 'the bundle is without the bytes of the media' }];

/** The key that is trusted. Throws `StartError` for a file that holds none. */
async function trusted(path: string | null): Promise<KeyObject | null> {
  if (path === null) return null;
  try {
    return trustedKey(await readFile(path));
  } catch (error) {
    const why = error instanceof SignatureFault ? 'it holds no Ed25519 public key in PEM' : messageOf(error);
    throw new StartError('invalid_flags', `--trust ${path}: ${why}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const noBundle =
  'it does not begin as a bundle does, so it is none, or its beginning is damaged; name a file that media-study export RUNTIME bundle wrote';

function faultIn(error: unknown, { bytes }: ByteReader): VerificationFault | null {
  if (error instanceof EvidenceChainError) return faultOf(error);
  if (!(error instanceof ArchiveError)) return null;
  const { message } = error;
  const begins = bytes >= blockBytes && message !== 'archive_not_ustar: at byte 0';
  return { link: 'bundle', place: begins ? message : `${message}: ${noBundle}`, contentId: null };
}

/** Verifies a bundle with nothing but its bytes. Throws `StartError`, and what the file system throws. */
export async function bundleVerified(
  { bundle, trust, json }: BundleOptions,
  print: (line: string) => void,
): Promise<BundleVerification> {
  const key = await trusted(trust);
  const checked: CheckedLink[] = [];
  const nothing = { runtimeId: null, journalHead: null, signature: null, unchecked: [] };
  const base = { schema: 'studio.bundle-verification.v1', bundle, checked } as const;
  const file = await openRegular(bundle);
  if (file === 'missing' || file === 'irregular') {
    const fault = {
      link: 'bundle',
      place: 'archive_not_a_file: a link, a folder or nothing',
      contentId: null,
    } as const;
    return { ...base, ...nothing, verdict: 'damaged', fault };
  }
  try {
    const whole = await verifyBundle(file, key, (link) => {
      checked.push(link);
      if (!json) print(checkedLine(link));
    });
    const { manifest, head, signature } = whole;
    return {
      ...base,
      verdict: 'intact',
      runtimeId: manifest.runtimeId,
      journalHead: journalHeadField(head),
      signature,
      unchecked: uncheckedOf(whole),
      fault: null,
    };
  } catch (error) {
    const fault = faultIn(error, file);
    if (fault === null) throw error;
    return { ...base, ...nothing, verdict: 'damaged', fault };
  } finally {
    file.close();
  }
}

const signatureWords = {
  unsigned: 'unsigned: no key vouches for where it comes from',
  valid: 'signed; give --trust with the public key of the host to know by whom',
  trusted: 'signed by the trusted key',
  untrusted: 'signed by another key than the trusted one',
} as const;

/** The last lines: what could not be checked, the signature, and the verdict. */
export function bundleLines({
  bundle,
  signature,
  unchecked,
  journalHead,
  runtimeId,
  fault,
}: BundleVerification): string[] {
  if (fault !== null) return [faultLine(fault), '', `damaged: ${bundle}, at ${fault.link}: ${fault.place}`];
  const keyId = signature?.keyId ?? null;
  return [
    ...unchecked.map(({ subject, contentId, why }) => `unchecked  ${subject} ${contentId}: ${why}`),
    '',
    `${signatureWords[signature?.state ?? 'unsigned']}${keyId === null ? '' : ` (key ${keyId})`}`,
    `intact: ${runtimeId}, journal head ${journalHead}`,
  ];
}

/** 4 where the runtime is intact and the key that was trusted did not sign it. */
export function bundleExit({ verdict, signature }: BundleVerification, trust: string | null): ExitCode {
  if (verdict === 'damaged') return exitCodes.failed;
  return trust === null || signature?.state === 'trusted' ? exitCodes.done : exitCodes.withheld;
}
