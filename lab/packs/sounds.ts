/** Sounds without speech, as sources of ffmpeg at a rate, in mono; no sample of them reaches full scale. */
export const sounds: Readonly<Record<string, (rate: number) => string>> = {
  silence: (rate) => `anullsrc=r=${rate}:cl=mono`,
  'pink-noise': (rate) => `anoisesrc=r=${rate}:c=pink:a=0.3:seed=11`,
  'white-noise': (rate) => `anoisesrc=r=${rate}:c=white:a=0.1:seed=12`,
  tone: (rate) => `sine=f=440:r=${rate}`,
  siren: (rate) => `aevalsrc='0.3*sin(2*PI*(500+30*sin(2*PI*3*t))*t)':s=${rate}`,
  chords: (rate) =>
    `aevalsrc='0.2*(sin(2*PI*196*t)+sin(2*PI*247*t)+sin(2*PI*294*t))*(0.5+0.5*sin(2*PI*2*t))':s=${rate}`,
  melody: (rate) =>
    `aevalsrc='0.3*sin(2*PI*(220*pow(2,floor(mod(t*3,12))/12))*t)*exp(-mod(t*3,1))+0.1*sin(2*PI*110*t)':s=${rate}`,
  applause: (rate) =>
    `aevalsrc='0.5*(random(3)-0.5)*(pow(abs(sin(2*PI*7*t+3*sin(2*PI*1.3*t))),8)+pow(abs(sin(2*PI*5.3*t+2)),8))':s=${rate}`,
};
