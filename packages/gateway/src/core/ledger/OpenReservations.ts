/** Reservations that are still open, and which of them can no longer be closed by their requests. */
import type { Clock } from "effect"
import { Roster } from "../collections/Roster.ts"
import type { HeldReservation, Reservation } from "./Reservation.ts"

/**
 * A call ends with its deployment's `total` at the latest. A request that takes longer than this afterwards is given up: its
 * caller reads too slowly, or it was lost inside the gateway.
 */
const EXPIRES_AFTER_MS = 600_000
const LOOK_EVERY_MS = 60_000

export class OpenReservations {
  private readonly open = new Roster<HeldReservation>()
  private readonly clock: Clock.Clock
  private lookAt: number
  /** In ms of the same clock as the reservations. */
  now: number

  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.now = this.passed()
    this.lookAt = this.now + LOOK_EVERY_MS
  }

  add(reservation: HeldReservation): void {
    this.open.add(reservation)
  }

  /** Undefined if it was closed before. */
  take(reservation: Reservation): HeldReservation | undefined {
    const held = this.open.find(reservation)
    if (held !== undefined) this.open.delete(held)
    return held
  }

  /** Whether a check is due. Call it before making a reservation: it reads the clock. */
  isTimeToLook(): boolean {
    this.now = this.passed()
    return this.now >= this.lookAt
  }

  /** Reservations whose calls must have ended. */
  expired(): ReadonlyArray<HeldReservation> {
    this.now = this.passed()
    this.lookAt = this.now + LOOK_EVERY_MS
    return this.open
      .all()
      .filter(({ deployment, made }) => this.now - made >= deployment.timeouts.total + EXPIRES_AFTER_MS)
  }

  private passed(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  }
}
