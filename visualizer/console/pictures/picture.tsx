import { useEffect, useState } from 'preact/hooks';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { useHost } from '../host/use-host.ts';
import { objectUrl } from './object-urls.ts';

export type PictureFact = Pick<KeyframeFact, 'contentId' | 'width' | 'height'>;

interface PictureProps {
  readonly runtimeId: string;
  readonly fact: PictureFact;
  /** What it shows, for a screen reader; empty beside words that say it already. */
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
