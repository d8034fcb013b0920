import type { KeyObject } from 'node:crypto';
import { type BundleSignature, trustedKey, verifyBundle, type WholeBundle } from '../actors/exports/verify-bundle.ts';
import type { WholeRuntime } from '../actors/reopening/verify-runtime.ts';
import { messageOf } from '../contract/base/errors.ts';
import type { ByteReader } from '../contract/base/stored-object.ts';
import { countText } from '../formats/readable-numbers.ts';
import { ArchiveError, blockBytes } from '../formats/tar.ts';
import { StartError } from '../options/failures.ts';
import { type ExitCode, exitCodes } from '../options/outputs.ts';
import { type CheckedLink, EvidenceChainError, type EvidenceLink } from '../receipts/evidence-chain.ts';
import { SignatureFault } from '../receipts/exports/bundle.ts';
import { publishedReviewsOf } from '../receipts/published/review.ts';
import { journalHeadField } from '../receipts/published/runtime.ts';
import { judgementText } from '../rules/rule-sets.ts';
import type { AcceptedLoss } from '../storage/ledger/accept-loss.ts';
import { openRegular } from '../storage/objects/regular-file.ts';
import { namedFile } from './named-file.ts';
import type { BundleOptions } from './options/verify-options.ts';
import { type FoundTranslation, type Repetition, repetitionsOf, repetitionText } from './repeated-translations.ts';
import { type CaptionsComparison, captionsComparison, comparisonLines, isSignedFile } from './verified-captions.ts';

/** The place of the first thing that does not hold. */
interface VerificationFault {
  readonly link: EvidenceLink | 'store';
  readonly place: string;
  readonly contentId: string | null;
}

/** The result of a verification, as `--json` prints it. */
export interface RuntimeVerification {
  readonly schema: 'studio.runtime-verification.v1';
  readonly runtimeId: string;
  readonly verdict: 'intact' | 'damaged';
  /** Number of events and chain digest, as in the field `Studio-Journal-Head`; null for a damaged runtime. */
  readonly journalHead: string | null;
  readonly checked: readonly CheckedLink[];
  /** The translations of programs; absent if there are none. */
  readonly repetitions?: readonly Repetition[];
  /** The comparison with `--captions`; absent without it. */
  readonly captions?: CaptionsComparison;
  readonly fault: VerificationFault | null;
}

/** A verified study for people: what it is of, who reviewed it, and when it last changed. */
export interface AboutStudy {
  readonly title: string;
  readonly review: string;
  /** The time of the last event of its journal; null for an empty one. */
  readonly changedAt: string | null;
}

const reviewWords = {
  approved_for_caption_production: 'approved by',
  approval_revoked: 'approved, and the approval withdrawn, by',
  rejected: 'rejected by',
} as const;

export function aboutStudy({ runtime, head }: WholeRuntime): AboutStudy {
  const [review] = publishedReviewsOf(runtime);
  return {
    title: runtime.source.registered.label,
    review:
      review === undefined ? 'no person has reviewed it' : `${reviewWords[review.state]} ${review.reviewer.label}`,
    changedAt: head.recordedAt,
  };
}

/** The first lines for people about a study in which everything holds. */
const aboutLines = ({ title, review, changedAt }: AboutStudy, runtimeId: string | null): string[] => [
  `intact: ${title}`,
  `review: ${review}`,
  `last change: ${changedAt ?? 'none'}`,
  `study: ${runtimeId}`,
];

/** Absent where there are none: then a verification is what it was before. */
const repetitionsIn = (repetitions: readonly Repetition[]) => (repetitions.length === 0 ? {} : { repetitions });

export const faultOf = ({ link, place, contentId }: EvidenceChainError): VerificationFault => ({
  link,
  place,
  contentId,
});

export function verificationOf(
  runtimeId: string,
  checked: readonly CheckedLink[],
  outcome: WholeRuntime | VerificationFault,
  repetitions: readonly Repetition[] = [],
  captions: CaptionsComparison | null = null,
): RuntimeVerification {
  const isWhole = 'runtime' in outcome;
  return {
    schema: 'studio.runtime-verification.v1',
    runtimeId,
    verdict: isWhole ? 'intact' : 'damaged',
    journalHead: isWhole ? journalHeadField(outcome.head) : null,
    checked,
    ...repetitionsIn(repetitions),
    ...(captions !== null && { captions }),
    fault: isWhole ? null : outcome,
  };
}

const columns = { link: 15, contentId: 'sha256:'.length + 64 } as const;

const row = (mark: string, link: string, contentId: string | null, text: string): string =>
  `${mark}  ${link.padEnd(columns.link)}  ${(contentId ?? '-').padEnd(columns.contentId)}  ${text}`;

/** One line for people: what was checked, the file that was hashed, what it is, and by which rules it was judged. */
export function checkedLine({ link, subject, contentId, detail, judgement }: CheckedLink): string {
  const mark = judgement?.check === 'form_checked' ? 'form' : 'ok  ';
  const judged = judgement === undefined ? '' : `; ${judgementText(judgement)}`;
  return row(mark, link, contentId, `${subject}: ${detail}${judged}`);
}

/** One line for people about each translation of a program. */
export const repetitionLine = (repetition: Repetition): string =>
  row(
    repetition.check === 'repeated' ? 'ok  ' : 'form',
    'caption_translation',
    repetition.contentId,
    repetitionText(repetition),
  );

/** A remark on the lines marked `form`; empty if every judgement was repeated. */
function formLines(checked: readonly CheckedLink[]): string[] {
  const count = checked.filter(({ judgement }) => judgement?.check === 'form_checked').length;
  if (count === 0) return [];
  const records = countText(count, 'record');
  const isOfCaptions = checked.some(({ link, judgement }) => link === 'caption' && judgement?.check === 'form_checked');
  return [
    `form checked: ${records} of other rule versions; form, digests and chain hold, the judgement was not repeated`,
    ...(isOfCaptions
      ? ['its captions may have faults that are mended now: make them again with media-study caption and the film']
      : []),
  ];
}

/** One line for people: the place of a fault. */
const faultLine = ({ link, contentId, place }: VerificationFault): string => row('FAIL', link, contentId, place);

/** How many checks there were, and how to see them. */
const checkedLines = (checked: readonly CheckedLink[]): string[] => {
  const files = new Set(checked.flatMap(({ contentId }) => contentId ?? [])).size;
  return [
    `checked: ${countText(checked.length, 'link')}, ${countText(files, 'file')}; --all shows each with its digest`,
  ];
};

/** The same about each translation of a program, without its digest. */
const repeatedLines = (repetitions: readonly Repetition[]): string[] =>
  repetitions.map((repetition) => `translation: ${repetitionText(repetition)}`);

const allRows = (checked: readonly CheckedLink[], repetitions: readonly Repetition[]): string[] => [
  ...checked.map(checkedLine),
  ...repetitions.map(repetitionLine),
];

/** What lines about a verification need beside its result. */
interface Shown {
  /** Null for one that is damaged. */
  readonly about: AboutStudy | null;
  readonly showsAll: boolean;
}

/** The lines about a runtime: the verdict and what it is about, then on request each check, the files by their digests. */
export function verdictLines(verification: RuntimeVerification, { about, showsAll }: Shown): string[] {
  const { runtimeId, journalHead, checked, repetitions = [], captions = null, fault } = verification;
  const compared = captions === null ? [] : comparisonLines(captions);
  if (fault !== null) {
    const rows = showsAll ? [...allRows(checked, repetitions), faultLine(fault), ''] : [];
    return [...rows, `damaged: ${runtimeId}, at ${fault.link}: ${fault.place}`];
  }
  const head = [...(about === null ? [] : aboutLines(about, runtimeId)), ...compared];
  if (!showsAll) return [...head, ...repeatedLines(repetitions), ...checkedLines(checked), ...formLines(checked)];
  const files = new Set(checked.flatMap(({ contentId }) => contentId ?? [])).size;
  return [
    ...head,
    '',
    ...allRows(checked, repetitions),
    '',
    ...formLines(checked),
    `intact: ${runtimeId}, ${countText(files, 'file')}, journal head ${journalHead}`,
  ];
}

/** The result of a check of a whole store, as `--json` prints it. */
export interface StoreVerification {
  readonly schema: 'studio.store-verification.v1';
  readonly dataRoot: string;
  /** `given_up`: it was damaged, and what it lost was given up by this call. */
  readonly verdict: 'intact' | 'damaged' | 'given_up';
  /** The damaged and lost parts, in words. */
  readonly faults: readonly string[];
  /** Rows, journals and objects that are damaged or missing beside a ledger that has lost nothing, in words. */
  readonly damagedParts: readonly string[];
  /** The ids that are withheld from now on, because what was lost may have been about them. */
  readonly unproven: readonly string[];
  /** The folder with the ledger as it was found. */
  readonly keptAt: string | null;
}

/** A loss that was given up comes with its own faults. */
export function storeVerificationOf(
  dataRoot: string,
  faults: readonly string[],
  damagedParts: readonly string[],
  loss: AcceptedLoss | null,
): StoreVerification {
  return {
    schema: 'studio.store-verification.v1',
    dataRoot,
    verdict: loss !== null ? 'given_up' : faults.length + damagedParts.length === 0 ? 'intact' : 'damaged',
    faults: loss?.faults ?? faults,
    damagedParts,
    unproven: loss?.unproven ?? [],
    keptAt: loss?.keptAt ?? null,
  };
}

/** The lines for people: each fault, then the verdict. */
export function storeLines(verification: StoreVerification): string[] {
  const { dataRoot, verdict, faults, damagedParts, unproven, keptAt } = verification;
  const found = [
    ...faults.map((fault) => `FAIL  store  ${fault}`),
    ...damagedParts.map((fault) => `FAIL  part   ${fault}`),
  ];
  if (verdict === 'intact') return [`intact: the ledger of ${dataRoot}`];
  if (verdict === 'damaged') {
    const advice =
      faults.length === 0
        ? 'put back a copy of the whole data root; without one a host withholds what these are of, and serves the rest'
        : 'put back a copy of the whole data root; without one --accept-loss gives up what is lost, ' +
          'and then everything that the ledger knows so far is withheld';
    return [...found, '', `damaged: the ledger of ${dataRoot}; ${advice}`];
  }
  return [
    ...found,
    ...unproven.map((id) => `withheld  ${id}`),
    '',
    `given up: ${countText(faults.length, 'fault')}, ${countText(unproven.length, 'id')} withheld; the ledger as it was lies in ${keptAt}`,
  ];
}

/** Something that a bundle rests on and that could not be checked. */
interface Unchecked {
  readonly subject: 'media';
  readonly contentId: string;
  readonly why: string;
}

/** The result of the verification of a bundle, as `--json` prints it. */
interface BundleVerification {
  readonly schema: 'studio.bundle-verification.v1';
  readonly bundle: string;
  readonly verdict: 'intact' | 'damaged';
  /** Null if the bundle is damaged: its own statements prove nothing then. */
  readonly runtimeId: string | null;
  readonly journalHead: string | null;
  readonly signature: BundleSignature | null;
  readonly checked: readonly CheckedLink[];
  /** The translations of programs; absent if there are none. */
  readonly repetitions?: readonly Repetition[];
  readonly unchecked: readonly Unchecked[];
  /** The comparison with `--captions`; absent without it. */
  readonly captions?: CaptionsComparison;
  readonly fault: VerificationFault | null;
}

const uncheckedOf = ({ manifest: { media } }: WholeBundle): Unchecked[] =>
  media.included
    ? []
    : [{ subject: 'media', contentId: media.contentId, why: 'the bundle is without the bytes of the media' }];

/** The most bytes of a file with a public key; a key has about a hundred. */
const mostKeyBytes = 64 * 1024;

/** The key that is trusted. Throws `StartError` for a file that holds none. */
async function trusted(path: string | null): Promise<KeyObject | null> {
  if (path === null) return null;
  try {
    return trustedKey(await namedFile(path, mostKeyBytes));
  } catch (error) {
    const why = error instanceof SignatureFault ? 'it holds no Ed25519 public key in PEM' : messageOf(error);
    throw new StartError('invalid_flags', `--trust ${path}: ${why}`);
  }
}

const noBundle =
  'it does not begin as a bundle does, so it is another file, or its beginning is damaged; name a file that media-study export RUNTIME bundle wrote';

function faultIn(error: unknown, { bytes }: ByteReader): VerificationFault | null {
  if (error instanceof EvidenceChainError) return faultOf(error);
  if (!(error instanceof ArchiveError)) return null;
  const { message, code, position } = error;
  const begins = bytes >= blockBytes && !(code === 'archive_not_ustar' && position === 0);
  return { link: 'bundle', place: begins ? message : `${message}: ${noBundle}`, contentId: null };
}

/** A verification, and what lines for people say of a study in which everything holds. */
export interface WithAbout<Verification> {
  readonly verification: Verification;
  readonly about: AboutStudy | null;
}

/** Verifies a bundle with nothing but its bytes. Throws `StartError`, and what the file system throws. */
export async function bundleVerified({
  bundle,
  trust,
  captions,
}: BundleOptions): Promise<WithAbout<BundleVerification>> {
  const key = await trusted(trust);
  const checked: CheckedLink[] = [];
  const nothing = { runtimeId: null, journalHead: null, signature: null, unchecked: [] };
  const base = { schema: 'studio.bundle-verification.v1', bundle, checked } as const;
  const damagedBy = (fault: VerificationFault): WithAbout<BundleVerification> => ({
    verification: { ...base, ...nothing, verdict: 'damaged', fault },
    about: null,
  });
  const file = await openRegular(bundle);
  if (file === 'missing' || file === 'irregular') {
    return damagedBy({ link: 'bundle', place: 'archive_not_a_file: a link, a folder or nothing', contentId: null });
  }
  try {
    const found: FoundTranslation[] = [];
    const whole = await verifyBundle(file, key, (link, translation) => {
      checked.push(link);
      if (link.contentId !== null && translation !== undefined) found.push({ contentId: link.contentId, translation });
    });
    const { manifest, head, signature } = whole;
    const verification: BundleVerification = {
      ...base,
      verdict: 'intact',
      runtimeId: manifest.runtimeId,
      journalHead: journalHeadField(head),
      signature,
      ...repetitionsIn(await repetitionsOf(found)),
      unchecked: uncheckedOf(whole),
      ...(captions !== null && { captions: await captionsComparison(captions, whole.runtime, whole.captions) }),
      fault: null,
    };
    return { verification, about: aboutStudy(whole) };
  } catch (error) {
    const fault = faultIn(error, file);
    if (fault === null) throw error;
    return damagedBy(fault);
  } finally {
    file.close();
  }
}

const signatureWords = {
  unsigned: 'unsigned: no key vouches for where it comes from',
  valid: 'The signature is valid. To check whose it is, pass --trust KEY.pem',
  trusted: 'signed by the trusted key',
  untrusted: 'signed by another key than the trusted one',
} as const;

/** The lines about a bundle: as those about a runtime, with what could not be checked, and the signature. */
export function bundleLines(verification: BundleVerification, { about, showsAll }: Shown): string[] {
  const { bundle, checked, signature, unchecked, journalHead, runtimeId, fault } = verification;
  const { repetitions = [], captions = null } = verification;
  const compared = captions === null ? [] : comparisonLines(captions);
  if (fault !== null) {
    const rows = showsAll ? [...allRows(checked, repetitions), faultLine(fault), ''] : [];
    return [...rows, `damaged: ${bundle}, at ${fault.link}: ${fault.place}`];
  }
  const signed = signatureWords[signature?.state ?? 'unsigned'];
  const keyId = signature?.keyId ?? null;
  const head = [...(about === null ? [] : aboutLines(about, runtimeId)), ...compared];
  if (!showsAll) {
    return [
      ...head,
      ...repeatedLines(repetitions),
      ...unchecked.map(() => 'Not checked: the film itself, which is not in the bundle'),
      ...checkedLines(checked),
      ...formLines(checked),
      signed,
    ];
  }
  return [
    ...head,
    '',
    ...allRows(checked, repetitions),
    ...unchecked.map(({ contentId }) => `Not checked: the film itself, which is not in the bundle (${contentId})`),
    '',
    `${signed}${keyId === null ? '' : ` (key ${keyId})`}`,
    ...formLines(checked),
    `intact: ${runtimeId}, journal head ${journalHead}`,
  ];
}

/** 4 where the runtime is intact, and the captions file is not of it or the key that was trusted did not sign it. */
export function bundleExit({ verdict, signature, captions }: BundleVerification, trust: string | null): ExitCode {
  if (verdict === 'damaged') return exitCodes.failed;
  if (!isSignedFile(captions ?? null)) return exitCodes.withheld;
  return trust === null || signature?.state === 'trusted' ? exitCodes.done : exitCodes.withheld;
}
