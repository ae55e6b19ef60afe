"""What a person does to the labels of a whole project: check, format, mend and export them, and make questions of reports."""
