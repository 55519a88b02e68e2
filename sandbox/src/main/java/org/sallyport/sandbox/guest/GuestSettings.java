package org.sallyport.sandbox.guest;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a guest runtime.
 *
 * @param threads threads that guest code computes on
 * @param dedicatedProcess whether the process runs guests only; if so, the runtime monitors memory, and leaves a guest
 *     that cannot be stopped to the owner of the process, which can kill it
 * @param libraryDirectory directory of the unpacked library of the native compiler; null to unpack it on first use
 */
public record GuestSettings(
        int threads, boolean dedicatedProcess, @Nullable Path libraryDirectory) {}
