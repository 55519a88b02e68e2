package org.sallyport.submission.rows;

/** A file is not the CSV that {@link CsvFile} reads. The message is for the person who made the file. */
public final class MalformedCsvException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MalformedCsvException(String message) {
        super(message);
    }

    MalformedCsvException(String message, Throwable cause) {
        super(message, cause);
    }
}
