import { useEffect, useState } from 'preact/hooks';
import type { StudyHost } from '../../client/study-host.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import { useHost } from '../host/session.ts';
import type { Stretch } from '../timeline/ticks.ts';

/** A keyframe in its place: pixels from the left of what is shown, and those of its part. */
interface Slot {
  readonly fact: KeyframeFact;
  readonly left: number;
  /** Until the next one that is drawn, or the end of the last part; at least a whole picture. */
  readonly width: number;
}

/**
 * The keyframes of a view that have room beside each other. Each is at the start of its part, or at the left edge if that start
 * is not visible. Facts are in the order of time.
 */
export function slotsOf(
  facts: readonly KeyframeFact[],
  { startMs, endMs }: Stretch,
  width: number,
  height: number,
): readonly Slot[] {
  const scale = width / (endMs - startMs);
  const seen = facts.filter((fact) => fact.startMs < endMs && fact.endMs > startMs);
  const slots: Slot[] = [];
  let free = 0;
  for (const fact of seen) {
    const left = Math.max(0, (fact.startMs - startMs) * scale);
    if (left < free) continue;
    const own = pictureWidth(fact, height);
    slots.push({ fact, left, width: own });
    free = left + own;
  }
  const end = Math.min(width, ((seen.at(-1)?.endMs ?? startMs) - startMs) * scale);
  return slots.map((slot, at) => ({ ...slot, width: Math.max(slot.width, (slots[at + 1]?.left ?? end) - slot.left) }));
}

const pictureWidth = (fact: PictureFact, height: number): number => (height * fact.width) / fact.height;

/** Pictures that are kept: those of a wide screen several times over. */
const keptPictures = 400;

/** Addresses of the pictures that this page has loaded, the longest unused first. An object never changes under its content id. */
const loaded = new WeakMap<StudyHost, Map<string, Promise<string>>>();

/** The address of a picture that a fact of a study names, for an `<img>`: the element itself could not send the token. */
function objectUrl(host: StudyHost, runtimeId: string, contentId: string): Promise<string> {
  const urls = loaded.get(host) ?? new Map<string, Promise<string>>();
  loaded.set(host, urls);
  const known = urls.get(contentId);
  const url = known ?? host.evidenceObjects.read(runtimeId, contentId).then((blob) => URL.createObjectURL(blob));
  urls.delete(contentId);
  urls.set(contentId, url);
  // A failed picture is requested again when a view next needs it.
  if (known === undefined) url.catch(() => urls.delete(contentId));
  for (const [oldest, address] of urls) {
    if (urls.size <= keptPictures) break;
    urls.delete(oldest);
    address.then(URL.revokeObjectURL, () => undefined);
  }
  return url;
}

export type PictureFact = Pick<KeyframeFact, 'contentId' | 'width' | 'height'>;

interface PictureProps {
  readonly runtimeId: string;
  readonly fact: PictureFact;
  /** Its content, for a screen reader; empty beside words that say it already. */
  readonly alt: string;
}

/** Pictures that pass by during a zoom are not asked for. */
const settleMs = 80;

/** A keyframe of a study. Its place is kept free until the host has answered; one that cannot be had leaves it empty. */
export function Picture({ runtimeId, fact: { contentId, width, height }, alt }: PictureProps) {
  const host = useHost();
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let isGone = false;
    setUrl(null);
    const timer = setTimeout(() => {
      objectUrl(host, runtimeId, contentId).then(
        (loaded) => !isGone && setUrl(loaded),
        () => undefined,
      );
    }, settleMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [host, runtimeId, contentId]);
  if (url === null) return <span class="picture" style={{ aspectRatio: `${width} / ${height}` }} />;
  return <img class="picture" src={url} width={width} height={height} alt={alt} draggable={false} decoding="sync" />;
}

interface FilmstripProps {
  readonly runtimeId: string;
  readonly facts: readonly KeyframeFact[];
  readonly view: Stretch;
  /** Pixels of the view, and of a picture. */
  readonly width: number;
  readonly height: number;
}

/** Keyframes along a stretch of time, as many as have room. Each is there again, paler, until its part ends: a gap would look like a fault. */
export const Filmstrip = ({ runtimeId, facts, view, width, height }: FilmstripProps) => (
  <div class="filmstrip" aria-hidden="true">
    {slotsOf(facts, view, width, height).map(({ fact, left, width: own }) => (
      <span key={fact.index} class="film-slot" style={{ left: `${left}px`, width: `${own}px` }}>
        {Array.from({ length: Math.ceil(own / pictureWidth(fact, height)) }, (_, at) => (
          <Picture key={at} runtimeId={runtimeId} fact={fact} alt="" />
        ))}
      </span>
    ))}
  </div>
);
