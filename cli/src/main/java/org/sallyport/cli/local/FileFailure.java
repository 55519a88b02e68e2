package org.sallyport.cli.local;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** Messages for people. Those of several exceptions of the JDK are only a path. */
final class FileFailure {
    private FileFailure() {}

    /** Returns what failed and why. */
    static String describe(IOException failure) {
        String message =
                Objects.toString(failure.getMessage(), failure.getClass().getSimpleName());
        if (failure instanceof FileSystemException file && file.getReason() == null) {
            return message + ": " + reason(file);
        }
        return message;
    }

    private static String reason(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "the file exists";
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "the directory is not empty";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a directory";
        }
        return failure.getClass().getSimpleName();
    }
}
