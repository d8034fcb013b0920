import { playbackContract } from '../http/playback-contract.ts';

playbackContract('node');
